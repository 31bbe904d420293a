//! Voice notes without a provider: nobody can make out the words, so the person is asked to write.

use async_trait::async_trait;
use countersign_runtime::ports::Transcriber;

/// Makes out no words.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTranscriber;

#[async_trait]
impl Transcriber for NoTranscriber {
    async fn transcribe(&self, _audio: &[u8]) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_words_are_made_out() {
        assert_eq!(NoTranscriber.transcribe(b"RIFF").await, None);
    }
}
