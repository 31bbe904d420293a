//! Source text to tokens.
//!
//! Invariant: spans cover exactly the bytes of the token and lie on character boundaries.
//! Deliberately absent: comments, exponents and unsigned suffixes of CEL, and bytes literals.

use countersign_nlu::Span;

use super::fault::Fault;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Digits, perhaps with a point and more digits, as written.
    Number(String),
    /// A quoted text, escapes resolved.
    Text(String),
    /// A name or a word.
    Name(String),
    /// An operator or bracket.
    Symbol(&'static str),
    /// After the last token.
    End,
}

/// Symbols, longest first, so that `<=` is never read as `<`.
const SYMBOLS: &[&str] =
    &["&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "?", ":", "(", ")", "[", "]", ",", "."];

/// All tokens with their spans, ending in one [`Token::End`].
///
/// # Errors
/// The first character that starts no token, text that does not end, or a malformed number.
pub(super) fn tokens(source: &str) -> Result<Vec<(Token, Span)>, Fault> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token()? {
        tokens.push(token);
    }
    tokens.push((Token::End, Span::new(source.len(), source.len())));
    Ok(tokens)
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn next_token(&mut self) -> Result<Option<(Token, Span)>, Fault> {
        self.take_while(char::is_whitespace);
        let start = self.at;
        let Some(first) = self.peek() else { return Ok(None) };
        let token = if first.is_ascii_digit() {
            self.number(start)?
        } else if matches!(first, '\'' | '"') {
            self.text(start, false)?
        } else if self.rest().starts_with("r'") || self.rest().starts_with("r\"") {
            self.at += 1;
            self.text(start, true)?
        } else if is_name(first) {
            Token::Name(self.take_while(is_name).to_owned())
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            Token::Symbol(symbol)
        } else {
            return Err(stranger(first, Span::new(start, start + first.len_utf8())));
        };
        Ok(Some((token, Span::new(start, self.at))))
    }

    fn number(&mut self, start: usize) -> Result<Token, Fault> {
        self.take_while(|c| c.is_ascii_digit());
        if self.peek() == Some('.') {
            self.at += 1;
            if self.take_while(|c| c.is_ascii_digit()).is_empty() {
                let fault = Fault::new("expr/number", Span::new(start, self.at), "a number cannot end in a point");
                return Err(fault.help("write `1.0`, or `1` for a whole number"));
            }
        }
        let digits_end = self.at;
        if !self.take_while(is_name).is_empty() {
            let fault = Fault::new(
                "expr/number",
                Span::new(start, self.at),
                format!("`{}` is not a number", Span::new(start, self.at).of(self.source)),
            );
            return Err(fault.help("write plain digits with at most one point, such as `1500` or `50.10`"));
        }
        Ok(Token::Number(self.source.get(start..digits_end).unwrap_or_default().to_owned()))
    }

    /// A quoted text; `start` is where it is reported, the cursor stands on the opening quote.
    fn text(&mut self, start: usize, is_raw: bool) -> Result<Token, Fault> {
        let quote = self.take();
        let mut text = String::new();
        loop {
            let at = self.at;
            match self.take() {
                None | Some('\n') => {
                    let fault = Fault::new("expr/text", Span::new(start, at), "this text has no closing quote");
                    return Err(fault.help("close it with the quote it was opened with, on the same line"));
                }
                next if next == quote => return Ok(Token::Text(text)),
                Some('\\') if !is_raw => text.push(self.escape(at)?),
                Some(other) => text.push(other),
            }
        }
    }

    fn escape(&mut self, start: usize) -> Result<char, Fault> {
        match self.take() {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some(same @ ('\\' | '\'' | '"' | '`' | '?')) => Ok(same),
            other => {
                let shown = other.map(String::from).unwrap_or_default();
                let fault = Fault::new("expr/text", Span::new(start, self.at), format!("unknown escape `\\{shown}`"));
                Err(fault
                    .help(format!("write `\\\\{shown}`, or a raw text such as r'..' where `\\` stands for itself")))
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The fault for a character that starts no token, with what was probably meant.
fn stranger(found: char, span: Span) -> Fault {
    let fault = |message: String| Fault::new("expr/syntax", span, message);
    match found {
        '/' | '%' => Fault::new("expr/no_division", span, format!("`{found}` is not part of the language"))
            .help("multiply the other side instead: `a * 4 <= b`"),
        '=' => fault("a single `=` compares nothing".to_owned()).help("write `==`"),
        '&' => fault("a single `&` is not part of the language".to_owned()).help("write `&&`"),
        '|' => fault("a single `|` is not part of the language".to_owned()).help("write `||`"),
        '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => {
            fault(format!("`{found}` is a typographic quote")).help("write a straight quote, `'` or `\"`")
        }
        '{' | '}' => fault(format!("unexpected `{found}`")).help("maps are not part of the language"),
        other => fault(format!("unexpected `{other}`")),
    }
}
