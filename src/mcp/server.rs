//! The server: lists tools and prompts, and passes calls to the thread that owns the index.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, Resource, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::prompts;
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Session};
use crate::toolbox::{ToolCall, answer_calls};
use crate::tools::{Access, ToolAnswer, ToolEntry, ToolError, find_tool};
use papayu_base::domain::EventSink;
use papayu_base::text::first_chars;

/// Interval at which a signal is noticed.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// The longest message that is read; the transport drops a longer one without an answer.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// The longest text of an error, in characters.
const MAX_ERROR_CHARS: usize = 4_000;

/// The longest text of an answer that also has structured content, in characters: some clients show both to the model.
const MAX_SUMMARY_CHARS: usize = 400;

/// Interval of the messages about the progress of a call, for clients that ask for them. Many clients end a call after a
/// minute without one.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// The reason why the server ends with an error.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The repository or its settings cannot be used.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// The runtime or the thread of the index cannot be started.
    #[error("the server cannot start: {0}")]
    Start(std::io::Error),
    /// The client broke the protocol before it was initialized.
    #[error("the client does not speak MCP: {0}")]
    Client(String),
}

/// Serves the tools on stdin and stdout until the client closes stdin or `interrupted` becomes true.
///
/// # Errors
///
/// See [`McpError`]. A client that sends invalid messages gets errors and does not end the server.
pub(crate) fn serve_stdio(
    session: &Session,
    runtime: &Runtime,
    events: &(dyn EventSink + Sync),
    offer: &ToolOffer,
    interrupted: &Arc<AtomicBool>,
) -> Result<(), McpError> {
    // A channel: the index belongs to one thread, and clients' calls arrive on another.
    let (calls, queue) = mpsc::channel::<ToolCall>();
    let root = session.tree.root().to_string_lossy().into_owned();
    let server = Server { offer: offer.clone(), calls, root };
    std::thread::scope(|scope| {
        let answering = std::thread::Builder::new()
            .name("tools".to_owned())
            .spawn_scoped(scope, move || {
                answer_calls(session, runtime, events, &mut || queue.recv().ok())
            })
            .map_err(McpError::Start)?;
        let served = serve_clients(server, interrupted);
        // The queue is closed with the server, so the thread ends after the call at hand.
        let answered = answering.join().unwrap_or(Ok(()));
        served?;
        Ok(answered?)
    })
}

/// Serves one client on stdin and stdout. Fails with [`McpError::Start`] if the runtime cannot start, and with
/// [`McpError::Client`] if the client breaks the protocol before it is initialized.
fn serve_clients(server: Server, interrupted: &Arc<AtomicBool>) -> Result<(), McpError> {
    // One thread is enough, since all work is done by the thread of the index.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(McpError::Start)?;
    let result = runtime.block_on(async {
        let is_interrupted = async {
            while !interrupted.load(Ordering::Relaxed) {
                tokio::time::sleep(SIGNAL_INTERVAL).await;
            }
        };
        let serving = async {
            let (reader, writer) = rmcp::transport::io::stdio_pipes();
            let transport = AsyncRwTransport::new_server(reader, writer);
            let transport = transport.with_max_line_length(MAX_MESSAGE_BYTES);
            let running = match server.serve(transport).await {
                Ok(running) => running,
                // A client that only tries whether the program starts is no error.
                Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
                Err(error) => return Err(McpError::Client(error.to_string())),
            };
            // Ends when the client closes stdin.
            let _ = running.waiting().await;
            Ok(())
        };
        tokio::select! {
            served = serving => served,
            () = is_interrupted => Ok(()),
        }
    });
    // A read of stdin that is under way cannot be cancelled and must not delay the end.
    runtime.shutdown_background();
    result
}

/// The tools that a server offers, and the form of its answers.
#[derive(Clone)]
pub(crate) struct ToolOffer {
    /// The tools.
    pub(crate) tools: Vec<&'static ToolEntry>,
    /// True for answers with structured content and its schemas, and a short text in place of the whole one.
    pub(crate) is_structured: bool,
}

/// The tools of one repository for one client.
struct Server {
    offer: ToolOffer,
    calls: mpsc::Sender<ToolCall>,
    root: String,
}

impl Server {
    /// Returns the description of a tool with its schemas, and whether it only reads.
    fn describe(&self, tool: &ToolEntry) -> Tool {
        let is_read_only = tool.access == Access::Reads;
        let annotations = ToolAnnotations::new()
            .read_only(is_read_only)
            .destructive(tool.access == Access::Changes)
            .open_world(false);
        let described =
            Tool::new(tool.name, tool.description, object_schema((tool.input_schema)()))
                .with_annotations(annotations);
        // A tool with an output schema must have structured content in each answer.
        if self.offer.is_structured {
            let schema = object_schema((tool.output_schema)());
            described.with_raw_output_schema(Arc::new(schema))
        } else {
            described
        }
    }

    /// Returns an answer with its data, text and links to files; an error has its code and hint as text.
    fn result(&self, answer: Result<ToolAnswer, ToolError>) -> CallToolResult {
        match answer {
            Ok(ToolAnswer { data, text, files }) => {
                let text = if self.offer.is_structured { shorten(text) } else { text };
                let mut content = vec![ContentBlock::text(text)];
                // By the links a client can open the files without parsing the text.
                content.extend(files.iter().map(|path| {
                    let uri = url::Url::from_file_path(format!("{}/{path}", self.root));
                    let uri = uri.map_or_else(|()| path.clone(), String::from);
                    ContentBlock::resource_link(Resource::new(uri, path))
                }));
                let mut result = CallToolResult::success(content);
                result.structured_content = self.offer.is_structured.then_some(data);
                result
            }
            Err(error) => {
                // The code and the next step, as the command line prints them.
                let code = error.code();
                let hint = code.row().hint;
                let error = error.to_string();
                // It may quote a parameter of any length.
                let shown = first_chars(&error, MAX_ERROR_CHARS);
                let cut = if shown.len() < error.len() { "… (cut)" } else { "" };
                let text = format!("{}: {shown}{cut}; {hint}", code.as_str());
                // An error has no structured content, because clients check that against the output schema.
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
        }
    }
}

/// Returns the start of a text; the structured content has the whole answer.
fn shorten(text: String) -> String {
    let shown = first_chars(&text, MAX_SUMMARY_CHARS);
    if shown.len() < text.len() { format!("{shown}… (cut; see structuredContent)") } else { text }
}

/// Returns a schema as an object; schemas of the registry always are.
fn object_schema(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Reports the seconds of a call, at intervals and without an end, to a client that asked for it.
async fn report_progress(context: &RequestContext<RoleServer>, tool: &str) {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    for count in 1_u32.. {
        tokio::time::sleep(PROGRESS_INTERVAL).await;
        let seconds = f64::from(count) * PROGRESS_INTERVAL.as_secs_f64();
        let progress = ProgressNotificationParam::new(token.clone(), seconds)
            .with_message(format!("{tool} has been running for {seconds} s"));
        // A client that is not there any more needs none.
        let _ = context.peer.notify_progress(progress).await;
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("papayu-batch", env!("CARGO_PKG_VERSION")))
            .with_instructions(prompts::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offer.tools.iter().map(|tool| self.describe(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.offer.tools.iter();
        tools.find(|tool| tool.name == name).map(|tool| self.describe(tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // An unknown tool is an error of the protocol; a failing one is a result.
        let tool = find_tool(&self.offer.tools, &request.name)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let params = Value::Object(request.arguments.unwrap_or_default());
        let (sender, receiver) = oneshot::channel();
        let respond = Box::new(|answer| {
            // A client that cancelled the call no longer waits for its answer.
            let _ = sender.send(answer);
        });
        let closed = || ErrorData::internal_error("the server is ending", None);
        self.calls.send(ToolCall { tool, params, respond }).map_err(|_| closed())?;
        let answer = tokio::select! {
            answer = receiver => answer.map_err(|_| closed())?,
            () = report_progress(&context, tool.name) => return Err(closed()),
        };
        Ok(self.result(answer).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list_prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let log = request.arguments.as_ref().and_then(|given| given.get("log"));
        let log = log.and_then(Value::as_str);
        let prompt = prompts::find_prompt(&request.name, log);
        let unknown =
            || ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None);
        prompt.map(Into::into).ok_or_else(unknown)
    }
}
