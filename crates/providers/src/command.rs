//! A program of the user as the model: the prompt on its standard input, the reply on its standard output.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::config::{ModelCommand, ProviderConfig};
use super::exchange::{
    CallLimits, FinishReason, ModelRequest, Provider, ProviderError, ProviderFault, ProviderReply,
};
use papayu_base::domain::{Event, EventName, Usage};
use papayu_system::{Clock, CommandSpec, End, Process, Stream, System};

const NAME: &str = "command";

/// Longest reply read, in bytes, standard error included.
const MAX_REPLY_BYTES: u64 = 8 * 1024 * 1024;

/// Most characters of standard error in a message.
const MAX_WORDS: usize = 300;

/// A program that answers requests.
pub(super) struct CommandModel<'a> {
    command: ModelCommand,
    model: String,
    timeout: Duration,
    process: &'a dyn Process,
    clock: &'a dyn Clock,
}

impl<'a> CommandModel<'a> {
    /// Returns the program that the configuration names. Its model is named by the setting, else by the program.
    ///
    /// # Errors
    ///
    /// [`ProviderFault::Setup`] if no program is named.
    pub(super) fn open(config: &ProviderConfig, system: System<'a>) -> Result<Self, ProviderError> {
        let command = find_command(config)?.clone();
        let model = config.model.clone().unwrap_or_else(|| program_name(&command));
        let System { process, clock, .. } = system;
        Ok(Self { command, model, timeout: config.timeout, process, clock })
    }

    /// Returns an event with the provider and the model.
    fn build_event(&self, name: EventName) -> Event {
        Event::new(name).with("model", self.model.as_str()).with("provider", NAME)
    }

    /// Runs the program once and returns what it printed.
    fn run(&self, prompt: &str, timeout: Duration) -> Result<String, ProviderFault> {
        let spec = CommandSpec {
            argv: self.command.words.clone(),
            cwd: self.command.folder.clone(),
            env: Vec::new(),
            keep_env: self.command.variables.clone(),
            timeout,
            max_output: MAX_REPLY_BYTES,
            // It is the user's own, not the repository's, and needs the network and its own files.
            confinement: None,
        };
        let (mut reply, mut words) = (Vec::new(), Vec::new());
        let mut take = |stream: Stream, bytes: &[u8]| match stream {
            Stream::Out => reply.extend_from_slice(bytes),
            Stream::Err => words.extend_from_slice(bytes),
        };
        let command = self.command.words.join(" ");
        let failed = |reason: String| ProviderFault::Failed { command: command.clone(), reason };
        let ended = self.process.run_apart(&spec, prompt.as_bytes(), &mut take);
        match ended.map_err(|error| failed(format!("did not start: {error}")))? {
            End::Code(0) => {}
            End::Interrupted => return Err(ProviderFault::Interrupted),
            End::TimedOut => {
                let seconds = timeout.as_secs();
                return Err(ProviderFault::Timeout { url: format!("`{command}`"), seconds });
            }
            End::TooMuchOutput => {
                return Err(failed(format!("printed more than {MAX_REPLY_BYTES} bytes")));
            }
            End::Code(code) => {
                return Err(failed(format!("ended with exit code {code}{}", last_words(&words))));
            }
            End::Signal(signal) => {
                return Err(failed(format!("was ended by signal {signal}{}", last_words(&words))));
            }
        }
        let text = String::from_utf8_lossy(&reply).into_owned();
        if text.trim().is_empty() {
            return Err(failed(format!("printed no reply{}", last_words(&words))));
        }
        Ok(text)
    }
}

impl Provider for CommandModel<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn ask(
        &self,
        request: &ModelRequest,
        call: &CallLimits<'_>,
    ) -> Result<ProviderReply, ProviderError> {
        let sent = self
            .build_event(EventName::LlmRequestSent)
            .with("schema_version", request.version.number())
            .with("token_budget", request.max_output_tokens)
            .with("input_chars", request.input_chars());
        call.events.emit(sent);
        let started = self.clock.elapsed();
        let timeout = self.timeout.min(call.time_left);
        let text = self.run(&write_prompt(request), timeout).map_err(|fault| {
            if let ProviderFault::Timeout { seconds, .. } = &fault {
                let event = self.build_event(EventName::LlmRequestTimeout);
                call.events.emit(event.with("seconds", *seconds));
            }
            ProviderError { provider: NAME, fault, requests: 1 }
        })?;
        let ms = self.clock.elapsed().saturating_sub(started).as_millis();
        let answered = self.build_event(EventName::LlmResponseOk);
        call.events.emit(answered.with("ms", u64::try_from(ms).unwrap_or(u64::MAX)));
        // The program does not say what it used.
        let usage = Usage::default();
        Ok(ProviderReply { text, finish: FinishReason::Stop, usage, requests: 1, merge: None })
    }
}

/// Returns the conversation as one text: the rules, the first message, then each reply with the message after it.
fn write_prompt(request: &ModelRequest) -> String {
    let mut prompt = format!("{}\n\n{}{}", request.system, request.prefix, request.tail);
    for turn in &request.turns {
        let _ = write!(prompt, "\n\n## YOUR REPLY\n{}", turn.reply);
        let _ = write!(prompt, "\n\n## NEXT MESSAGE\n{}", turn.message);
    }
    prompt.push_str("\n\nReply with the JSON object alone. Use no tools and change no files.\n");
    prompt
}

/// Returns the last words of standard error as the end of a sentence; empty if there are none.
fn last_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<char> =
        text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let last: String = words.iter().skip(words.len().saturating_sub(MAX_WORDS)).collect();
    if last.is_empty() { last } else { format!(": {last}") }
}

/// Returns the program of a configuration.
fn find_command(config: &ProviderConfig) -> Result<&ModelCommand, ProviderError> {
    let command = config.command.as_ref().filter(|command| !command.words.is_empty());
    command.ok_or_else(|| {
        let message =
            "no program is named; set `llm.command` (`PAPAYU_LLM_COMMAND`), such as `claude -p`";
        ProviderError::setup(NAME, message)
    })
}

/// Returns the name of the program without its folder.
fn program_name(command: &ModelCommand) -> String {
    let program = command.words.first().map(Path::new);
    let name = program.and_then(Path::file_name).unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Looks for the program without running it, and returns the result in words.
///
/// # Errors
///
/// [`ProviderFault::Setup`] if no program is named or it is not there.
pub(super) fn check_program(
    config: &ProviderConfig,
    system: System<'_>,
) -> Result<String, ProviderError> {
    let command = find_command(config)?;
    let program = command.words.first().map(String::as_str).unwrap_or_default();
    let is_there = if program.contains('/') {
        system.disk.is_file(&command.folder.join(program))
    } else {
        let mut folders = command.search_path.split(':');
        folders.any(|folder| system.disk.is_file(&Path::new(folder).join(program)))
    };
    if !is_there {
        let message = format!("there is no program `{program}`; is `llm.command` right?");
        return Err(ProviderError::setup(NAME, message));
    }
    let line = command.words.join(" ");
    Ok(format!("`{line}` is there; its cost and its model are not known"))
}
