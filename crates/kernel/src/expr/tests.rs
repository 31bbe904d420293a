//! Tables of what the language accepts, refuses and answers.
