/** Every error Hookline raises or reports. `docs/reference/errors.md` is generated from this table; the code itself needs only the names. */
export const errorCodes = {
  HL_UNKNOWN_EVENT: {
    when: "An event name is in a known namespace (or has none) but not in the catalogue.",
    fix: "Use the suggested name, or a namespace of your own such as `myapp:deployed`.",
  },
  HL_BAD_PATTERN: {
    when: "An event pattern is neither a name, nor `namespace:*`, nor `*`.",
    fix: "Write `tool:*` for one namespace or `*` for everything; narrow further with `match`.",
  },
  HL_WRONG_KIND: {
    when: "`decide` was called on an event that is no gate, or `transform` on one that is no transform.",
    fix: "Use `emit` for observe events, `decide` for gates and `transform` for transforms; docs/reference/events.md lists the kinds.",
  },
  HL_UNKNOWN_OPTION: { when: "An options object has a key that does not exist.", fix: "Remove the key or use the suggested one." },
  HL_BAD_OPTION: {
    when: "An option has a value of the wrong type or outside its range.",
    fix: "Give a value of the type the message names.",
  },
  HL_BAD_HANDLER: { when: "What should handle an event is not a function.", fix: 'Pass a function, or `lazy(() => import(…), "handle")`.' },
  HL_BAD_MATCH: {
    when: "A `match` expression, glob, regular expression or match object cannot be compiled. `position` is the offset in the text.",
    fix: "Mend the expression at the marked position; docs/matching.md has the grammar.",
  },
  HL_UNKNOWN_PATH: {
    when: "A path in `match`, `where`, `set` or `redact` is in no payload of the event, so that the guard would never act. Where an event or a field is your own this cannot be known, and the same code is reported as a warning.",
    fix: "Use the suggested path; docs/reference/events.md lists the fields of every event. For a field of your own that is refused because it looks like another, match with a function.",
  },
  HL_DUPLICATE_HANDLER: {
    when: "The same owner registers a second handler under one name on one event.",
    fix: "Give it another name, or unregister the first one.",
  },
  HL_PERMISSION: {
    when: "An owner registers for an event whose permission it was not granted, or its `permissions` name one that does not exist. A wildcard needs the permission of every event it can match.",
    fix: "Add the permission to the owner's `permissions`, use the suggested name, or register for fewer events. docs/reference/events.md lists them all.",
  },
  HL_TIMEOUT: {
    when: "A handler did not answer within its `timeoutMs`.",
    fix: "Make the handler faster, pass `event.signal` to what it waits for, or raise `timeoutMs`.",
  },
  HL_HANDLER_FAILED: {
    when: "A handler threw or rejected. Its own error is the `cause`.",
    fix: "Mend the handler; the `cause` has its stack.",
  },
  HL_ABORTED: {
    when: 'A handler registered with `onFailure: "abort"` failed, so `decide` rejects.',
    fix: "Mend the handler, or register it with `open` or `closed`.",
  },
  HL_SUSPENDED: {
    when: "An observer failed 5 times in a row and is left out for 60 s.",
    fix: "Mend the handler; it is tried again by itself.",
  },
  HL_INVALID_VERDICT: {
    when: "A handler tried to decide but its answer cannot be understood, in our words or in those of other runtimes: an unknown verdict word, a misspelled key, two verdicts at once, or answers nested over 32 deep. It denies.",
    fix: "Return one of the outcomes of docs/outcomes.md.",
  },
  HL_BAD_MODIFY: {
    when: "A rewrite is not a payload: not an object, `args` without a tool, another tool name or call id than the call has, or a tool input of another type.",
    fix: "Return `modify({ ...event.payload, … })` and keep the tool's name, runtimeName and callId.",
  },
  HL_OUTCOME_NOT_ALLOWED: {
    when: "A handler returned an outcome that its event does not allow, or something that is no outcome.",
    fix: "Return one of the outcomes listed for the event in docs/reference/events.md.",
  },
  HL_FINISH_BLOCK: {
    when: "A handler tried to block `finish:before`.",
    fix: "Return `again(reason)` to make the agent go on, or block `finish:unsettled`.",
  },
  HL_AGAIN_LIMIT: {
    when: "`finish:before` was answered with `again` more times in a row than `maxAgain` allows; the agent may finish.",
    fix: "Make the condition reachable, or raise `createBus({ maxAgain })`.",
  },
  HL_REWRITE_LOOP: {
    when: "Guards kept rewriting each other's payload for 8 rounds.",
    fix: "Let the named handlers agree, or move one of them to stage `rewrite`.",
  },
  HL_DEPTH: { when: "Handlers dispatch events from within events more than 32 deep.", fix: "Break the cycle between the named events." },
  HL_NO_APPROVER: {
    when: "A guard asked for approval and nobody can give it.",
    fix: 'Call `bus.setApprover(…)`, or create the bus with `onAsk: "return"` and prompt yourself.',
  },
  HL_APPROVAL_CHANGED: {
    when: "An answer was given to a call that waits for a person, and what waits is not what the answer was for.",
    fix: "Look again with `hookline approvals`, and answer what is there.",
  },
  HL_APPROVAL_GONE: {
    when: "An answer was given to a call that does not wait: it was answered already, its time was up, or whoever asked has gone.",
    fix: "`hookline approvals` lists what waits.",
  },
  HL_APPROVAL_TIMEOUT: {
    when: "Nobody answered an approval request in time.",
    fix: "Answer sooner, or raise `createBus({ askTimeoutMs })`.",
  },
  HL_APPROVER_FAILED: {
    when: "The approver threw, rejected or gave an answer that is no answer.",
    fix: 'Return `{ verdict: "allow" | "deny" }` from the approver.',
  },
  HL_CANCELLED: { when: "The caller's signal was aborted while handlers were deciding.", fix: "Nothing to mend: the caller cancelled." },
  HL_BAD_REMINDER: {
    when: "A reminder has an unknown key, a value of the wrong type or an empty body.",
    fix: "Use the keys of docs/reminders.md.",
  },
  HL_REMINDER_REJECTED: {
    when: "A handler of a `worker:*` event returned a reminder; such events have no place in a transcript for it.",
    fix: "Return the reminder from `turn:before` or `turn:end` instead.",
  },
  HL_NO_REMINDER_BOOK: {
    when: "A handler of an observe event returned a reminder, but the bus has no reminder book.",
    fix: "Create the bus with `createBus({ reminders: createReminderBook() })`.",
  },
  HL_LAZY_EXPORT: {
    when: "A lazy handler's module does not export the named function.",
    fix: "Export it, or pass its name as the second argument of `lazy`.",
  },
  HL_LIMIT: { when: "A bounded structure is full.", fix: "Drain it sooner or raise its limit." },
  HL_TRANSCRIPT_FORMAT: {
    when: "A transcript line is not a transcript entry.",
    fix: "Check the file with `verifyTranscript`; the message names the line.",
  },
  HL_TRANSCRIPT_CLOSED: {
    when: "Something happens on a bus after `transcript.close()`. It is not recorded.",
    fix: "Detach the transcript before closing it if the bus lives on, or make a new one with the same `path`: it goes on in a new segment.",
  },
  HL_TRANSCRIPT_IO: {
    when: "A transcript cannot be opened, read or written. Entries that could not be written are counted in `transcript.lost`.",
    fix: "Make room, mend the file's permissions, or let one process alone write to it; the message has the cause.",
  },
  HL_REDACT_FAILED: {
    when: "The `redact` function of a transcript threw. The whole payload is recorded as redacted.",
    fix: "Mend the function: it gets a copy of every payload, whatever its shape.",
  },
  HL_REPLAY_MISS: {
    when: "A replay was asked for a decision that is not on the tape.",
    fix: "Replay the same calls in the same order, or re-run with `rerun`.",
  },
  HL_CODEC: { when: "A frame is none of codewhale's seven types.", fix: "Check the frame's `type`; the message names it." },
  HL_BAD_ENVELOPE: {
    when: "A line is no envelope: not JSON, or a field is missing or of the wrong type. The message names the field.",
    fix: "Send what `encodeEnvelope` gives; `@hookline/core/schema/envelope.json` describes it.",
  },
  HL_SINK_CLOSED: { when: "A sink was closed and is asked to send.", fix: "Open a new one; send before `close`." },
  HL_SINK_FAILED: {
    when: "A sink threw or rejected, or answered something that is no result. Its own error is the `cause`.",
    fix: "Mend the sink: `send` resolves with `sent`, `retry` or `failed`, and never throws.",
  },
  HL_SINK_TIMEOUT: {
    when: "A sink did not answer within the `timeoutMs` of its connection.",
    fix: "Nothing, if its peer was slow: the batch is tried again. Raise `timeoutMs` if it always is.",
  },
  HL_RETRY_EXHAUSTED: {
    when: "A batch was tried as often as `maxAttempts` allows and is given up. The last answer is the `cause`.",
    fix: "Mend what the `cause` names; what was given up is counted under `retry_exhausted`.",
  },
  HL_STDOUT_PROTOCOL: {
    when: "A stdout sink was asked for in a process whose stdout carries a protocol.",
    fix: "Use the jsonl sink, give the stdout sink another `stream`, or unset HOOKLINE_STDOUT_PROTOCOL if stdout is free.",
  },
  HL_SINK_PATH: {
    when: "A sink's file is a link or no regular file, or its default folder can be written by others or belongs to somebody else.",
    fix: "Give the path of a regular file in a folder of your own.",
  },
  HL_SINK_IO: {
    when: "A sink's file cannot be opened or written. The batch is tried again.",
    fix: "Make room or mend the permissions; the message has the cause.",
  },
  HL_WEBHOOK_TARGET: {
    when: "A webhook's URL leads to an address that must not be dialled: link-local, metadata, unspecified, multicast, or beyond loopback over plain http.",
    fix: "Give an https URL that leads to a public or private host; `allowHttp` permits plain http.",
  },
  HL_WEBHOOK_ANSWER: {
    when: "A webhook's receiver answered with another status than 2xx. 408, 429 and 5xx are tried again, the others are not.",
    fix: "Look at the receiver's log for the request; for a redirect, give the sink the final URL.",
  },
  HL_WEBHOOK_UNREACHABLE: {
    when: "A webhook got no whole answer: the connection failed, the time was up, the caller aborted it, or the sink is closed.",
    fix: "Check that the receiver runs and answers within `timeoutMs`; the message has the cause.",
  },
  HL_DEAD_LETTER: {
    when: "A dead-letter file cannot be used: its folder is open to everyone, it cannot be read or written, it is being redelivered, or a line of it is no letter.",
    fix: "Use a file in a folder of your own; the message names the file, the line and the cause.",
  },
  HL_UNSAFE_SOCKET: {
    when: "Another user could listen in place of a socket's peer: everybody may write to its folder, or the folder or the socket belongs to somebody else.",
    fix: "Put the socket into a folder of your own with mode 0700; the default path is in one.",
  },
  HL_CONNECTION_LOST: {
    when: "A socket's peer is not there, went away, reads nothing, or the connection was closed. What was not sent is answered with `retry`; gates fail.",
    fix: "Start the listener; the connection is made again by itself. The message has the cause.",
  },
  HL_FRAME_TOO_LARGE: {
    when: "A line for a socket is longer than its `maxFrameBytes`.",
    fix: "Send less, or raise `maxFrameBytes` at both ends.",
  },
  HL_STATE_FOLDER: {
    when: "The hub's folder cannot be made, or another user could read or change it: it is a link, belongs to somebody else, or its mode lets others in.",
    fix: "`chmod 700` the folder the message names, or point XDG_STATE_HOME at a folder of your own.",
  },
  HL_HUB_FILE: {
    when: "The hub cannot write its `hub.json`: a field has a value no reader would accept, or the folder refuses the file. Or a process finds a `hub.json` that it cannot read: it is not followed, and closed gates deny.",
    fix: "Mend the field the message names, or make room and mend the permissions of the folder; for a file that cannot be read, run `hookline up`.",
  },
  HL_GATES_FILE: {
    when: "`gates.json`, in which the hub keeps what it guards, cannot be written; or it is missing, cannot be read or can be changed by another user. Until a hub has proved itself, every gate is closed.",
    fix: "Make room or mend the permissions of the folder, and run `hookline up`; `hookline down` removes the files of a hub that is gone.",
  },
  HL_DISK_FULL: {
    when: "The hub's disk is full: what arrives is not stored and not acknowledged. Forwarders keep it and send it again.",
    fix: "Make room, or move the data with `hookline up --data <folder>`; the hub goes on by itself.",
  },
  HL_STORE_FAILED: {
    when: "The hub's store cannot be opened, read or written. The message has SQLite's own words.",
    fix: "Run `hookline doctor`; it checks the file and says what to do.",
  },
  HL_TOO_DEEP: { when: "JSON from outside is nested deeper than 64 levels in the payload.", fix: "Send flatter data." },
  HL_LOOP: {
    when: "An event came back to a hub it has already passed, by its `hops`.",
    fix: "Nothing: it is stored already. If it keeps happening, two hubs forward to each other in a circle.",
  },
  HL_FORGED_SOURCE: {
    when: "An event from outside says, by its `source`, that the hub itself has recorded it.",
    fix: "Give `source` the name and the instance of the process that sends it.",
  },
  HL_HUB_RUNNING: {
    when: "Another hub of this user runs, or is starting, on the same folders.",
    fix: "Use it (`hookline status` says where it is), or end it with `hookline down`.",
  },
  HL_PORT_TAKEN: {
    when: "The port that was asked for is in use, or may not be used.",
    fix: "Take another with `--port`, or leave it out: then the hub finds one.",
  },
  HL_CONFIG: {
    when: "`hookline.toml` cannot be read or is no TOML, so the hub does not start with it.",
    fix: "Mend the file at the line and column the message names, or move it away.",
  },
  HL_SECRET_MISSING: {
    when: "A secret that `hookline.toml` looks for in the environment or in a file is not there, or cannot be used.",
    fix: "Set the variable for the hub's process, or write the file; the sink opens by itself once the file is there.",
  },
  HL_BAD_RULE: {
    when: "A rule cannot be what it says: an action without its `set` or `message`, an outcome that its event does not know, or a path that cannot be written.",
    fix: "Mend the key that the message names; docs/rules.md has them all.",
  },
  HL_RULE_LOOSENS: {
    when: "A project's rule says `allow` or `modify`. A project can tighten what its user has set, and never loosen it.",
    fix: "Put the rule into your own hookline.toml, or let the project's rule block or ask.",
  },
  HL_HOOK_MODULE: {
    when: "The module of a `[[hook]]` cannot be loaded, or does not export the function. The hook fails: `closed` denies.",
    fix: "Mend the file or the path; it is tried again at the next event. The `cause` has the loader's own words.",
  },
  HL_SINK_LATE: {
    when: "Events were deleted by retention before a sink of the hub had got them. They are counted under `retention`.",
    fix: "Mend the sink, which has been down for long, or keep more: `[retention]` in hookline.toml.",
  },
  HL_OPERATOR_FILE: {
    when: "The hub cannot write its `operator.json`, the file with the token that may do everything.",
    fix: "Make room, or mend the permissions of the folder the message names.",
  },
  HL_UNAUTHORIZED: {
    when: "A request to the hub has no token, or one the hub does not know (401).",
    fix: "Send `Authorization: Bearer <token>` with the token of `operator.json`, or of `hub.json` to ingest and to decide.",
  },
  HL_SCOPE: {
    when: "A request's token is good, but not for this: the message names the scope it lacks (403).",
    fix: "Use the operator's token; the one in `hub.json` may ingest and ask for decisions only.",
  },
  HL_FOREIGN_REQUEST: {
    when: "A request names another host than the hub's own (421), or a page of another origin sent it (403).",
    fix: "Call the hub by the address in `hub.json`, and not from a page of another site.",
  },
  HL_BAD_PAYLOAD: {
    when: "`decide` was called without a payload, or the hub was asked about a tool call whose name or input is missing or of another kind, so that no guard could judge it.",
    fix: "Pass what is to be judged: `decide(event, payload)`; for a tool call `{ tool: { name, input } }` with a text and an object.",
  },
  HL_BAD_REQUEST: {
    when: "A request cannot be understood: its line or headers, a parameter, or a body that is not what the route takes (400). The message names the place.",
    fix: "Mend what the message names; `GET /api/openapi.json` describes every route.",
  },
  HL_NOT_FOUND: {
    when: "The hub has no such route, event or session (404).",
    fix: "`GET /api/openapi.json` lists the routes, `GET /api/events` the events, `GET /api/sessions` the sessions.",
  },
  HL_NOT_LIVE: {
    when: "A message or a reminder was sent to a session that has ended, whose process is not connected to the hub, or that has been silent for a day (409).",
    fix: "Start the agent again or give it a prompt, then send it. `hookline sessions` lists the sessions.",
  },
  HL_WRONG_METHOD: { when: "The route is there, but not for this method (405).", fix: "Use a method of the answer's `Allow`." },
  HL_BODY_TOO_LARGE: {
    when: "A request's body or headers are larger than the hub takes (413, 431).",
    fix: "Send less at a time; `docs/hub-api.md` has the limits.",
  },
  HL_MEDIA_TYPE: {
    when: "A request's `Content-Type` is not one the route takes, or its body is compressed (415).",
    fix: "Send `application/json` or `application/x-ndjson`, in UTF-8 and not compressed.",
  },
  HL_TOO_MANY: {
    when: "The hub has too much to do at the moment: wrong tokens, events that wait for the disk, bodies or connections (429, 503).",
    fix: "Try again after the seconds that `Retry-After` says.",
  },
  HL_REQUEST_TIMEOUT: { when: "A request did not arrive whole in time (408).", fix: "Send it in one go." },
  HL_HUB_FAILED: {
    when: "The hub failed at a request through no fault of the request (500).",
    fix: "Look at the hub's log and report it.",
  },
  HL_HUB_UNREACHABLE: {
    when: "The hub that `hub.json` names cannot be reached, does not acknowledge, or refuses the connection. Events wait in the queue; a gate fails.",
    fix: "Look at `hookline status`, or start a hub with `hookline up`; the connection is made again by itself. In a container, mount the folder the message names. `hookline down` removes the files of a hub that is gone, and its gates with them.",
  },
  HL_HUB_UNPROVEN: {
    when: "Who answered on the hub's socket could not prove that it is the hub. Nothing was sent to it.",
    fix: "Find out what listens on the socket the message names, and run `hookline up` again.",
  },
  HL_HUB_FOREIGN: {
    when: "`hub.json` or its folder can be read or changed by another user, so it is not followed.",
    fix: "Do what the message says to the file or the folder; the hub is found by itself afterwards.",
  },
  HL_SPOOL_FAILED: {
    when: "Events could not be written to the spool, or read back from it. Those that are lost by it are counted under `spool_failed`.",
    fix: "Make room or mend the permissions of the folder the message names.",
  },
  HL_LINE_TAKEN: {
    when: "`connectToHub` was called with other options for a bus that is already connected.",
    fix: "Use the line of the first call, or close it first. The same options give the same line.",
  },
  HL_OFF: {
    when: "`HOOKLINE` is `0`, `false`, `no` or `off` in the environment of a process with a bus of its own. Said once: no handler of that bus is called.",
    fix: "Nothing, if that is meant. Otherwise `unset HOOKLINE` and start the process again.",
  },
  HL_COMMAND_MISSING: {
    when: "The program of a command hook is not there. `closed` denies.",
    fix: "Install it, or mend `command`: a bare name is looked up in PATH, a path is taken from the folder of the file it stands in.",
  },
  HL_COMMAND_NOT_EXECUTABLE: {
    when: "The file of a command hook may not be run. `closed` denies.",
    fix: "`chmod +x` the file, or name its interpreter as `command` and the file in `args`.",
  },
  HL_COMMAND_INTERPRETER: {
    when: "The interpreter that the first line of a command hook's script names is not there. `closed` denies.",
    fix: "Install the interpreter, or mend the `#!` line.",
  },
  HL_COMMAND_FOLDER: {
    when: "The working folder of a command hook is not there, or is no folder. `closed` denies.",
    fix: "Make the folder again, or mend `cwd`.",
  },
  HL_COMMAND_SPAWN: {
    when: "A command hook could not be started for another reason, such as too long an environment or no free process. `closed` denies.",
    fix: "Mend what the message names; it has the system's own words.",
  },
  HL_COMMAND_FAILED: {
    when: "A command hook ended with an exit code that is no verdict, or by a signal. `closed` denies.",
    fix: "Run it by hand with `hookline hooks test`; the message has the end of its stderr.",
  },
  HL_COMMAND_OUTPUT: {
    when: "What a command hook wrote to stdout is no answer in its dialect: not one JSON document, of another shape, or more than 1 MiB. `closed` denies.",
    fix: "Write the answer alone to stdout and everything else to stderr; docs/hooks.md has the dialects.",
  },
  HL_COMMAND_OVERLOADED: {
    when: "A command hook has as many calls running and waiting as it may. `closed` denies.",
    fix: "Make the command faster, or turn it into an extension process, which answers many calls at once.",
  },
  HL_URL_TARGET: {
    when: "The URL of a hook is none, has a user and password in it, or leads to an address that must not be dialled: link-local, metadata, unspecified, multicast, or beyond loopback over plain http. `closed` denies.",
    fix: "Give an https URL of a host you trust, or plain http on 127.0.0.1, [::1] or localhost; credentials belong into `headers`.",
  },
  HL_URL_REQUEST: {
    when: "A url hook was not asked: its headers cannot be had or sent, or the event cannot be written as JSON. `closed` denies.",
    fix: "Mend the header, or the file or variable its value is read from; the message names it.",
  },
  HL_URL_UNREACHABLE: {
    when: "No connection to the server of a url hook: the name does not resolve, nobody listens, or TLS fails. `closed` denies.",
    fix: "Check that the server runs and that its certificate is valid for the host; `NODE_EXTRA_CA_CERTS` names an authority of your own.",
  },
  HL_URL_LOST: {
    when: "The server of a url hook was connected, but the connection ended before its answer did. `closed` denies.",
    fix: "Look at the server's log: it closed the connection or died over the request.",
  },
  HL_URL_ANSWER: {
    when: "What the server of a url hook sent is no answer: another status than 2xx, a redirect, not JSON, of another shape, or more than 1 MiB. `closed` denies.",
    fix: "Answer 200 with `content-type: application/json`, or 204 to say nothing; docs/hooks.md has the dialects.",
  },
  HL_URL_OVERLOADED: {
    when: "A url hook has as many calls under way and waiting as it may. `closed` denies.",
    fix: "Make the server faster, or narrow the hook with `match` and `tool`.",
  },
  HL_UNTRUSTED: {
    when: "A project has hooks nobody has consented to, or that were changed since. They do not run.",
    fix: "Look at them and consent with `hookline hooks trust`; a run without a terminal goes on without them only when told to.",
  },
  HL_TRUST_FOLDER: {
    when: "A hook's folder cannot be pinned: it is too large, changes while it is read, or holds a link that leads outside, a pipe or a device. Or what runs could be another thing than what is shown: its manifest or handler is a link or no text, or its command leads out of the folder.",
    fix: "Mend what the message names; consent is for a folder of plain files.",
  },
  HL_TRUST_STORE: {
    when: "The record of consent, or a trusted copy, cannot be read or written, or is not as it was left.",
    fix: "Make room or mend the permissions, or run what the message says; if a copy was changed, run `hookline hooks trust` again.",
  },
  HL_AGENT_FILE: {
    when: "An agent's settings file, or the record of what was put into it, cannot be read, edited or written safely. Nothing was changed.",
    fix: "Mend what the message names, then run the command again; `--dry-run` shows what it would do.",
  },
  HL_IMPORT: {
    when: "A file of another agent's hooks cannot be imported, because it is not what that agent reads.",
    fix: "Mend the file at the place the message names.",
  },
  HL_EXTENSION_COMMAND: {
    when: "The command of an extension, or the interpreter of its script, is not there. Its handlers fail: `closed` denies.",
    fix: "Install the program, or mend `command` in the manifest; a name without a slash is looked up in the PATH.",
  },
  HL_EXTENSION_SCRIPT: {
    when: "The script that an extension's command is to run is not there.",
    fix: "Put the file back, or mend `args` in the manifest; relative paths begin in the extension's folder.",
  },
  HL_EXTENSION_NOT_EXECUTABLE: {
    when: "The command of an extension is a file that may not be executed.",
    fix: "Run the `chmod +x` of the message, or name its interpreter as the `command`.",
  },
  HL_EXTENSION_FOLDER: {
    when: "The folder that an extension is to run in is gone.",
    fix: "Put the folder back, or remove the extension.",
  },
  HL_EXTENSION_CONFIG: {
    when: "A setting that an extension requires is missing, or one was given that its manifest does not have.",
    fix: "Give the setting, or set the environment variable that the message names for the hub's process.",
  },
  HL_EXTENSION_START: {
    when: "An extension's process ended, or was silent, before it had answered `initialize`.",
    fix: "Run its command by hand in its folder; the message has the last it wrote to stderr.",
  },
  HL_EXTENSION_CRASHED: {
    when: "An extension's process ended while a request was waiting for its answer. It is started again, three times in a row at most.",
    fix: "Mend the extension; the message says how it ended and what it wrote to stderr last.",
  },
  HL_EXTENSION_PROTOCOL: {
    when: "An extension does not speak the protocol: malformed frames, answers to nothing, another version.",
    fix: "Write nothing but frames to stdout, and answer each request once; the SDKs do. docs/extensions.md has the protocol.",
  },
  HL_EXTENSION_ANSWER: {
    when: "An extension's answer is well formed but cannot be used.",
    fix: "Answer with one of the outcomes of docs/outcomes.md.",
  },
  HL_EXTENSION_OVERLOADED: {
    when: "An extension has more requests to answer than it may have at once, or does not read them.",
    fix: "Make the extension faster, or narrow its hooks with `match` and `tool`.",
  },
  HL_EXTENSION_STOPPED: {
    when: "An extension was stopped and is asked to answer.",
    fix: "Nothing, if the hub is on its way down; otherwise enable the extension again.",
  },
} as const satisfies Record<string, { readonly when: string; readonly fix: string }>;

export type ErrorCode = keyof typeof errorCodes;
