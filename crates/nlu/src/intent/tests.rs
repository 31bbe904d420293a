use super::*;

const EXAMPLES: [(&str, &[&str]); 6] = [
    (
        "create",
        &[
            "quero um boleto",
            "gera um boleto de 150 reais para a Ana",
            "preciso emitir um boleto",
            "cria um boleto pra mim",
            "faz um boleto de 200 reais pro João vencendo sexta",
            "emitir boleto",
            "novo boleto para o cliente",
            "gostaria de gerar uma cobrança",
            "boleto pra ana de 150 vence sexta",
            "cobrar a Carla em 80 reais",
        ],
    ),
    (
        "cancel",
        &[
            "cancela o boleto BOL-1001",
            "quero cancelar um boleto",
            "preciso cancelar a cobrança da Ana",
            "pode cancelar o boleto do João",
            "desfaz aquele boleto",
            "cancelar boleto",
            "dar baixa no boleto BOL-1002",
            "anula o boleto",
            "não quero mais esse boleto, cancela",
            "remove a cobrança do Bruno",
        ],
    ),
    (
        "status",
        &[
            "o boleto da Ana já foi pago?",
            "qual a situação do boleto BOL-1001",
            "status do boleto",
            "a Ana pagou?",
            "o João já pagou o boleto?",
            "verifica se o boleto foi pago",
            "consulta o boleto BOL-1003",
            "como está o boleto do Bruno",
            "esse boleto está em aberto?",
            "me diz se caiu o pagamento da Carla",
        ],
    ),
    (
        "list",
        &[
            "lista os boletos",
            "quais boletos estão em aberto",
            "mostra todos os boletos",
            "quais são os boletos da Ana",
            "ver boletos vencidos",
            "me mostra as cobranças deste mês",
            "boletos em aberto",
            "listar cobranças",
            "quero ver meus boletos",
            "quais clientes estão devendo",
        ],
    ),
    (
        "resend",
        &[
            "manda o boleto de novo",
            "reenvia o boleto pra Ana",
            "segunda via do boleto",
            "quero a segunda via",
            "envia novamente o boleto BOL-1001",
            "a Ana não recebeu o boleto, reenvia",
            "mandar outra vez o boleto",
            "preciso da segunda via do boleto do João",
            "reenviar cobrança por email",
            "pode mandar o boleto outra vez?",
        ],
    ),
    (
        "hours",
        &[
            "qual o horário de atendimento",
            "que horas vocês abrem",
            "vocês atendem no sábado?",
            "até que horas funciona",
            "horário de funcionamento",
            "estão abertos hoje?",
            "qual o telefone de contato",
            "onde fica o escritório",
            "abre no domingo?",
            "atendimento até que horas",
        ],
    ),
];

fn trained() -> Classifier {
    let examples: Vec<Example<'_>> =
        EXAMPLES.iter().flat_map(|(label, texts)| texts.iter().map(|text| Example { label, text })).collect();
    Classifier::train(&examples)
}

fn best(classifier: &Classifier, text: &str) -> (String, u16) {
    let first = classifier.classify(text).into_iter().next().expect("a label");
    (first.label, first.confidence)
}

#[test]
fn close_messages_score_high() {
    let classifier = trained();
    let mut wrong = Vec::new();
    for (text, label) in [
        ("quero um boleto de 300 reais para o Bruno", "create"),
        ("gera um boleto pra carla de 99,90", "create"),
        ("cancela o boleto BOL-2044", "cancel"),
        ("quero cancelar o boleto", "cancel"),
        ("o boleto do Bruno já foi pago?", "status"),
        ("lista os boletos em aberto", "list"),
        ("reenvia o boleto do João", "resend"),
        ("qual o horario de atendimento?", "hours"),
        ("cancelr o bolto", "cancel"),
    ] {
        let (found, confidence) = best(&classifier, text);
        if found != label || confidence <= 850 {
            wrong.push(format!("{text}: {found} {confidence}"));
        }
    }
    assert!(wrong.is_empty(), "T={}\n{}", classifier.temperature, wrong.join("\n"));
}

#[test]
fn messages_with_new_words_still_route() {
    let classifier = trained();
    for (text, label) in [
        ("gera boleto para Ana Souza, 1.500 reais, vence dia 10", "create"),
        ("oi, bom dia, você pode cancelar aquele boleto da Carla por favor?", "cancel"),
    ] {
        let (found, confidence) = best(&classifier, text);
        assert!(found == label && confidence >= 700, "{text}: {found} {confidence}");
    }
}

#[test]
fn strange_messages_score_low() {
    let classifier = trained();
    let mut wrong = Vec::new();
    for text in [
        "asdf qwer",
        "",
        "🤔",
        "qual a previsão do tempo amanhã",
        "meu cachorro é lindo",
        "xyzzy plugh",
        "the quick brown fox",
        "quem ganhou o jogo do flamengo",
        "me conta uma piada",
        "o que você acha da política",
        "quero comprar uma bicicleta",
        "1234567",
    ] {
        let (found, confidence) = best(&classifier, text);
        if confidence >= 500 {
            wrong.push(format!("{text}: {found} {confidence}"));
        }
    }
    assert!(wrong.is_empty(), "T={}\n{}", classifier.temperature, wrong.join("\n"));
}

#[test]
fn amounts_do_not_decide() {
    let classifier = trained();
    let one = classifier.classify("boleto de 150 reais para a Ana");
    let other = classifier.classify("boleto de 99.999 reais para a Ana");
    assert_eq!(one, other);
}

#[test]
fn every_label_is_listed_once_best_first() {
    let scored = trained().classify("cancela o boleto");
    assert_eq!(scored.len(), EXAMPLES.len());
    assert!(scored.windows(2).all(|pair| pair[0].confidence >= pair[1].confidence));
    let sum: u32 = scored.iter().map(|s| u32::from(s.confidence)).sum();
    assert!(sum <= 1003, "{sum}");
}

#[test]
fn training_is_repeatable() {
    assert_eq!(trained(), trained());
}

#[test]
fn few_or_no_examples_do_no_harm() {
    assert!(Classifier::train(&[]).classify("oi").is_empty());
    let tiny = Classifier::train(&[
        Example { label: "create", text: "quero um boleto" },
        Example { label: "cancel", text: "cancela o boleto" },
        Example { label: "empty", text: "" },
    ]);
    assert_eq!(best(&tiny, "quero um boleto").0, "create");
    assert!(best(&tiny, "quero um boleto").1 > 850, "{:?}", tiny.classify("quero um boleto"));
    assert_eq!(best(&tiny, "cancela o boleto").0, "cancel");
}
