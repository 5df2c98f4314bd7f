import { INSTALL_OPTIONAL } from "./install-text.js";

/** Every error that Hookline raises or reports. `docs/reference/errors.md` is generated from this table; the code itself needs only the names. */
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
    when: "`decide` was called on an event that is not a gate, or `transform` on one that is not a transform.",
    fix: "Use `emit` for observe events, `decide` for gates and `transform` for transforms; docs/reference/events.md lists the kinds.",
  },
  HL_UNKNOWN_OPTION: { when: "An options object has a key that does not exist.", fix: "Remove the key or use the suggested one." },
  HL_BAD_OPTION: {
    when: "An option has a value of the wrong type or outside its range.",
    fix: "Give a value of the type the message names.",
  },
  HL_BAD_HANDLER: { when: "The handler is not a function.", fix: 'Pass a function, or `lazy(() => import(…), "handle")`.' },
  HL_BAD_MATCH: {
    when: "A `match` expression, glob, regular expression or match object cannot be compiled. `position` is the offset in the text.",
    fix: "Correct the expression at the marked position; docs/matching.md has the grammar.",
  },
  HL_UNKNOWN_PATH: {
    when: "A path in `match`, `where`, `set` or `redact` does not exist in any payload of the event, so the guard would never act. For your own events and fields Hookline cannot check this, and reports the same code as a warning.",
    fix: "Use the suggested path; docs/reference/events.md lists the fields of every event. If your own field is rejected because it resembles another, match it with a function.",
  },
  HL_DUPLICATE_HANDLER: {
    when: "An owner registers a second handler with the same name on the same event.",
    fix: "Give it another name, or unregister the first one.",
  },
  HL_PERMISSION: {
    when: "An owner registers for an event whose permission it was not granted, or its `permissions` contain an unknown permission. A pattern needs the permission of every event it can match.",
    fix: "Add the permission to the owner's `permissions`, use the suggested name, or register for fewer events. docs/reference/events.md lists them all.",
  },
  HL_TIMEOUT: {
    when: "A handler did not answer within its `timeoutMs`.",
    fix: "Make the handler faster, pass `event.signal` to what it waits for, or raise `timeoutMs`.",
  },
  HL_HANDLER_FAILED: {
    when: "A handler threw or rejected. Its own error is the `cause`.",
    fix: "Fix the handler; the `cause` has its stack.",
  },
  HL_ABORTED: {
    when: 'A handler registered with `onFailure: "abort"` failed, so `decide` rejects.',
    fix: "Fix the handler, or register it with `open` or `closed`.",
  },
  HL_NOT_LOADED: {
    when: "A part of `@hookline/core` that is loaded apart from its entry cannot be loaded: its file is missing or damaged, or the host allows no `import()`. What it was needed for is denied or withheld.",
    fix: "Install the package again and restart the process; a bundler must include dynamic imports.",
  },
  HL_SUSPENDED: {
    when: "An observer failed 5 times in a row and is suspended for 60 s.",
    fix: "Fix the handler; the bus calls it again after that time.",
  },
  HL_INVALID_VERDICT: {
    when: "A handler tried to decide, but its answer is not a valid verdict of Hookline or another runtime: an unknown verdict word, a misspelled key, two verdicts at once, or more than 32 levels of nesting. The call is denied.",
    fix: "Return one of the outcomes of docs/outcomes.md.",
  },
  HL_BAD_MODIFY: {
    when: "A rewrite is not a payload: not an object, `args` without a tool, another tool name or call id than the call has, or a tool input of another type.",
    fix: "Return `modify({ ...event.payload, … })` and keep the tool's name, runtimeName and callId.",
  },
  HL_OUTCOME_NOT_ALLOWED: {
    when: "A handler returned an outcome that its event does not allow, or something that is not an outcome.",
    fix: "Return one of the outcomes listed for the event in docs/reference/events.md.",
  },
  HL_FINISH_BLOCK: {
    when: "A handler tried to block `finish:before`.",
    fix: "Return `again(reason)` to make the agent continue, or block `finish:unsettled`.",
  },
  HL_AGAIN_LIMIT: {
    when: "`finish:before` was answered with `again` more times in a row than `maxAgain` allows; the agent may finish.",
    fix: "Make the condition reachable, or raise `createBus({ maxAgain })`.",
  },
  HL_REWRITE_LOOP: {
    when: "Guards kept rewriting each other's payload for 8 rounds.",
    fix: "Make the named handlers agree, or move one of them to stage `rewrite`.",
  },
  HL_DEPTH: { when: "Handlers dispatch events within events, more than 32 levels deep.", fix: "Break the cycle between the named events." },
  HL_NO_APPROVER: {
    when: "A guard asked for approval, but there is no approver.",
    fix: 'Call `bus.setApprover(…)`, or create the bus with `onAsk: "return"` and prompt yourself.',
  },
  HL_APPROVAL_CHANGED: {
    when: "An answer arrived for a waiting call, but the call has changed since it was shown.",
    fix: "Run `hookline approvals` again, and answer the call as it is now.",
  },
  HL_APPROVAL_GONE: {
    when: "An answer arrived for a call that is not waiting: it was already answered, it timed out, or the agent that asked is gone.",
    fix: "`hookline approvals` lists the calls that wait.",
  },
  HL_APPROVAL_TIMEOUT: {
    when: "No person answered an approval in time.",
    fix: "Answer sooner, or raise `createBus({ askTimeoutMs })`.",
  },
  HL_APPROVER_FAILED: {
    when: "The approver threw, rejected or returned an invalid answer.",
    fix: 'Return `{ verdict: "allow" | "deny" }` from the approver.',
  },
  HL_CANCELLED: {
    when: "The caller's signal was aborted while handlers were deciding.",
    fix: "There is nothing to fix: the caller cancelled.",
  },
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
  HL_LIMIT: { when: "A structure with a limit is full.", fix: "Drain it sooner or raise its limit." },
  HL_TRANSCRIPT_FORMAT: {
    when: "A transcript line is not a transcript entry.",
    fix: "Check the file with `verifyTranscript`; the message names the line.",
  },
  HL_TRANSCRIPT_CLOSED: {
    when: "Something happens on a bus after `transcript.close()`. It is not recorded.",
    fix: "Detach the transcript before closing it if the bus stays in use, or create a new one with the same `path`: it continues in a new segment.",
  },
  HL_TRANSCRIPT_IO: {
    when: "A transcript cannot be opened, read or written. Entries that could not be written are counted in `transcript.lost`.",
    fix: "Free disk space, correct the file's permissions, or let only one process write to it; the message has the cause.",
  },
  HL_REDACT_FAILED: {
    when: "The `redact` function of a transcript threw. The whole payload is recorded as redacted.",
    fix: "Fix the function: it receives a copy of every payload, whatever its shape.",
  },
  HL_REPLAY_MISS: {
    when: "A replay was asked for a decision that is not in the recording.",
    fix: "Replay the same calls in the same order, or re-run with `rerun`.",
  },
  HL_CODEC: { when: "A frame has none of codewhale's seven types.", fix: "Check the frame's `type`; the message names it." },
  HL_BAD_ENVELOPE: {
    when: "A line is not an envelope: it is not JSON, or a field is missing or of the wrong type. The message names the field.",
    fix: "Send the result of `encodeEnvelope`; `@hookline/core/schema/envelope.json` describes it.",
  },
  HL_SINK_CLOSED: { when: "A sink was asked to send after it was closed.", fix: "Open a new sink, or send before `close`." },
  HL_SINK_FAILED: {
    when: "A sink threw or rejected, or returned something that is not a result. Its own error is the `cause`.",
    fix: "Fix the sink: `send` resolves with `sent`, `retry` or `failed`, and never throws.",
  },
  HL_SINK_TIMEOUT: {
    when: "A sink did not answer within the `timeoutMs` of its connection.",
    fix: "If its receiver was slow once, do nothing: the batch is tried again. If it is always slow, raise `timeoutMs`.",
  },
  HL_RETRY_EXHAUSTED: {
    when: "A batch was tried as often as `maxAttempts` allows and is given up. The last answer is the `cause`.",
    fix: "Fix what the `cause` names; the dropped events are counted under `retry_exhausted`.",
  },
  HL_STDOUT_PROTOCOL: {
    when: "A stdout sink was created in a process whose stdout carries a protocol.",
    fix: "Use the jsonl sink, give the stdout sink another `stream`, or unset HOOKLINE_STDOUT_PROTOCOL if stdout is free.",
  },
  HL_SINK_PATH: {
    when: "A sink's file is a link or not a regular file, or its default folder is writable by other users or belongs to another user.",
    fix: "Give the path of a regular file in your own folder.",
  },
  HL_SINK_IO: {
    when: "A sink's file cannot be opened or written. The batch is tried again.",
    fix: "Free disk space or correct the permissions; the message has the cause.",
  },
  HL_NOTIFY: {
    when: "A mail server or the desktop did not take a notification.",
    fix: "Read the reason in the message, correct the `[[notify]]` table, and try it: `hookline notify test`.",
  },
  HL_WEBHOOK_TARGET: {
    when: "A webhook's URL leads to an address that must not be dialled: link-local, metadata, unspecified, multicast, or beyond loopback over plain http.",
    fix: "Give an https URL that leads to a public or private host; `allowHttp` permits plain http.",
  },
  HL_WEBHOOK_ANSWER: {
    when: "A webhook's receiver answered with another status than 2xx. 408, 429 and 5xx are tried again, the others are not.",
    fix: "Read the receiver's log for the request; for a redirect, give the sink the final URL.",
  },
  HL_WEBHOOK_UNREACHABLE: {
    when: "A webhook got no complete answer: the connection failed, the request timed out, the caller aborted it, or the sink is closed.",
    fix: "Check that the receiver runs and answers within `timeoutMs`; the message has the cause.",
  },
  HL_OTLP_TARGET: {
    when: "The URL of an `otlp` sink leads to an address that must not be dialled: link-local, metadata, unspecified, multicast, or beyond loopback over plain http.",
    fix: "Give an https URL that leads to a public or private host; `allowHttp` permits plain http.",
  },
  HL_OTLP_ANSWER: {
    when: "An OpenTelemetry receiver refused what an `otlp` sink sent, or a part of it. 429, 502, 503 and 504 are tried again, other statuses are not.",
    fix: "Read the receiver's own message, which is part of this one; 401 and 403 mean that `headers` lacks the right key.",
  },
  HL_OTLP_UNREACHABLE: {
    when: "An OpenTelemetry receiver gave no complete answer: the connection failed, the request timed out, or the caller aborted it.",
    fix: "Check that the receiver runs and that `url` is its HTTP address (port 4318 by default; 4317 is for gRPC).",
  },
  HL_OTLP_MISSING: {
    when: "`hookline.toml` has a sink of type `otlp`, and the package `@hookline/otlp` is not installed in the same version.",
    fix: INSTALL_OPTIONAL,
  },
  HL_DEAD_LETTER: {
    when: "A dead-letter file cannot be used: every user can write to its folder, it cannot be read or written, it is being redelivered, or one of its lines is not a letter.",
    fix: "Use a file in your own folder; the message names the file, the line and the cause.",
  },
  HL_UNSAFE_SOCKET: {
    when: "Another user could listen instead of a socket's peer: every user can write to its folder, or the folder or the socket belongs to another user.",
    fix: "Put the socket into your own folder with mode 0700, like that of the default path.",
  },
  HL_CONNECTION_LOST: {
    when: "A socket's peer is missing, went away or reads nothing, or the connection was closed. Events that were not sent get the result `retry`; gates fail.",
    fix: "Start the listener; the process reconnects by itself. The message has the cause.",
  },
  HL_FRAME_TOO_LARGE: {
    when: "A line for a socket is longer than its `maxFrameBytes`.",
    fix: "Send less, or raise `maxFrameBytes` on both ends.",
  },
  HL_STATE_FOLDER: {
    when: "The hub's folder cannot be created, or another user could read or change it: it is a link, belongs to another user, or its mode gives others access.",
    fix: "`chmod 700` the folder the message names, or set XDG_STATE_HOME to your own folder.",
  },
  HL_HUB_FILE: {
    when: "The hub cannot write its `hub.json`: a field has an invalid value, or the folder is not writable. Or a process finds a `hub.json` that it cannot read: it ignores the file, and closed gates deny.",
    fix: "Correct the field that the message names, or free disk space and correct the permissions of the folder; for a file that cannot be read, run `hookline up`.",
  },
  HL_GATES_FILE: {
    when: "`gates.json`, the hub's list of what it guards, cannot be written; or it is missing, unreadable or writable by another user. Until a hub has proved its identity, every gate is closed.",
    fix: "Free disk space or correct the permissions of the folder, and run `hookline up`; `hookline down` removes the files of a hub that is gone.",
  },
  HL_DISK_FULL: {
    when: "The hub's disk is full: new events are not stored and not acknowledged. Forwarders keep them and send them again.",
    fix: "Free disk space, or move the data with `hookline up --data <folder>`; the hub continues by itself.",
  },
  HL_STORE_FAILED: {
    when: "The hub's store cannot be opened, read or written. The message quotes SQLite.",
    fix: "Run `hookline doctor`; it checks the file and says what to do.",
  },
  HL_STORE_DAMAGED: {
    when: "The file of the hub's store is damaged: it was cut, bytes in it changed, or its log is there without it. New events are not stored and not acknowledged; the guards keep deciding.",
    fix: "Run `hookline doctor --repair`: it puts what can be read into a new store and says what is lost.",
  },
  HL_STORE_NEWER: {
    when: "A newer version of Hookline has written the store. The hub does not open it, and changes nothing in it.",
    fix: "Update Hookline (the message has the command for your copy), or restore a backup that this version wrote (`hookline restore`).",
  },
  HL_WAITING: {
    when: "Another hub was to take over while calls wait for a person (409): their answers would be lost.",
    fix: "Answer them (`hookline approvals`), then run `hookline upgrade` again.",
  },
  HL_TOO_DEEP: { when: "JSON from outside is nested deeper than 64 levels in the payload.", fix: "Send flatter data." },
  HL_NOT_WHOLE: {
    when: "A hub, or a hook outside the process, would have been asked about a payload of which JSON cannot carry all: a function, a stream, an object of a class of its own, more than 64 levels, too many bytes. The message names the place.",
    fix: "Put plain data into the payload: objects, lists, texts, numbers, Map, Set, Date, and bytes up to 1 MiB.",
  },
  HL_UNSEEN: {
    when: "A closed handler of a transform, such as a rule on `tool:result`, would have had to pass a value that it cannot see whole: a function, an object of a class of its own, a stream that is too long. The value is withheld.",
    fix: "Return plain data, an object with `toJSON()`, or a stream within the limits.",
  },
  HL_STREAM_LIMIT: {
    when: "A tool returned a stream that is longer than guards can be shown, or that does not end in time: 8 MiB and 30 s, or what `maxStreamBytes` and `streamTimeoutMs` of `runTool` say. A closed handler of `tool:result` withholds it; else the call ends with this error.",
    fix: 'Return less, raise `maxStreamBytes` or `streamTimeoutMs`, or pass `stream: "pass"` to hand the stream on unguarded.',
  },
  HL_LOOP: {
    when: "An event came back to a hub it has already passed, by its `hops`.",
    fix: "Do nothing: it is already stored. If this keeps happening, two hubs forward to each other in a circle.",
  },
  HL_FORGED_SOURCE: {
    when: "The `source` of an event from outside claims that the hub itself recorded it.",
    fix: "Give `source` the name and the instance of the process that sends it.",
  },
  HL_HUB_RUNNING: {
    when: "Another hub of this user runs, or is starting, on the same folders.",
    fix: "Use it (`hookline status` shows its address), or stop it with `hookline down`.",
  },
  HL_PORT_TAKEN: {
    when: "The requested port is in use, or the user may not use it.",
    fix: "Choose another with `--port`, or omit the option: then the hub finds one.",
  },
  HL_CONFIG: {
    when: "`hookline.toml` cannot be read or is not TOML, so the hub does not start.",
    fix: "Correct the file at the line and column that the message names, or move the file away.",
  },
  HL_SECRET_MISSING: {
    when: "A secret that `hookline.toml` reads from the environment or from a file is missing or unusable.",
    fix: "Set the variable for the hub's process, or write the file; the sink opens by itself when the file exists.",
  },
  HL_BAD_RULE: {
    when: "A rule is inconsistent: an action without its `set` or `message`, an outcome that its event does not allow, or a path that cannot be written.",
    fix: "Correct the key that the message names; docs/rules.md lists all keys.",
  },
  HL_RULE_STATE: {
    when: "What rules remember (`count`, `after`, `repeats`, `budget`) cannot be read, so rules that depend on it fail: guards deny.",
    fix: "Read the message, then let the rules count from zero: `hookline rules reset`.",
  },
  HL_RULE_LOOSENS: {
    when: "A project's rule says `allow` or `modify`. A project can make its user's rules stricter, never weaker.",
    fix: "Put the rule into your own hookline.toml, or make the project's rule block or ask.",
  },
  HL_SINK_LATE: {
    when: "Events were deleted, by retention or with their session, before a sink of the hub received them. They are counted under `retention`.",
    fix: "Nothing, if you deleted the session. Otherwise repair the sink, which has been down for a long time, or keep more events: `[retention]` in hookline.toml.",
  },
  HL_OPERATOR_FILE: {
    when: "The hub cannot write its `operator.json`, the file with the token for all scopes.",
    fix: "Free disk space, or correct the permissions of the folder that the message names.",
  },
  HL_UNAUTHORIZED: {
    when: "A request to the hub has no token, or an unknown one (401).",
    fix: "Send `Authorization: Bearer <token>` with the token of `operator.json`, or of `hub.json` to ingest and to decide.",
  },
  HL_CONFIRM: {
    when: "`hookline protect` is on, and the request needs the operator's confirmation. The answer has a challenge for exactly this request; it works once, for two minutes.",
    fix: "Run the command in a terminal and type your passphrase, or do it in the dashboard with your passkey.",
  },
  HL_NOT_CONFIRMED: {
    when: "The confirmation of a request was refused: it was used before, is too old, was made for something else, or is not signed by a factor of the operator. The attempt raises an alarm.",
    fix: "Send the request again without a confirmation, and confirm the new challenge.",
  },
  HL_NOT_SHOWN: {
    when: "Something was to be accepted that is not what a person was shown: it changed meanwhile, or nothing says which version was shown. Nothing was accepted.",
    fix: "Look at it as it is now, with the command that the message names, and accept that.",
  },
  HL_PROTECT_LOCKED: {
    when: "`hookline protect` was on, and its file is missing or was changed while the hub was stopped. The hub refuses to operate until you prove with the recovery code that you are the operator.",
    fix: "Run `hookline protect recover`.",
  },
  HL_SCOPE: {
    when: "A request's token is valid but lacks the scope that the message names (403).",
    fix: "Use the operator's token; the one in `hub.json` may ingest and ask for decisions only.",
  },
  HL_NOT_OPERATOR: {
    when: "A request or command acts as the operator, but was sent by a process that an attached agent has started, by another user, or by a process that the hub cannot identify (403).",
    fix: "Run the command yourself, in a terminal that the agent did not start, or use the dashboard.",
  },
  HL_FOREIGN_REQUEST: {
    when: "A request names another host than the hub's own (421), or a web page of another origin sent it (403).",
    fix: "Call the hub by the address in `hub.json`, and not from a web page of another site.",
  },
  HL_BAD_PAYLOAD: {
    when: "The payload of `decide` or `runTool`, or the context of `transform`, is not an object; or it cannot be copied: a getter throws, it is nested deeper than 1,000 levels or has more than 2,000,000 fields; or the hub was asked about a tool call whose name or input is missing or has the wrong type; or the tool's name reads like another one: it has an invisible character, a space at an end, or letters of full width. No guard can judge such a call, so it is denied without asking any.",
    fix: "Pass an object with the fields of the event: `decide(event, payload)`; for a tool call `{ tool: { name, input } }` with a text and an object.",
  },
  HL_BAD_REQUEST: {
    when: "A request cannot be understood: its line or headers, a parameter, or a body that the route does not accept (400). The message names the place.",
    fix: "Correct what the message names; `GET /api/openapi.json` describes every route.",
  },
  HL_NOT_FOUND: {
    when: "The hub has no such route, event or session (404).",
    fix: "`GET /api/openapi.json` lists the routes, `GET /api/events` the events, `GET /api/sessions` the sessions.",
  },
  HL_NOT_LIVE: {
    when: "A message or a reminder was sent to a session that has ended, whose process is not connected to the hub, or that has been silent for a day (409).",
    fix: "Start the agent again or give it a prompt, then send it. `hookline sessions` lists the sessions.",
  },
  HL_WRONG_METHOD: {
    when: "The route exists, but not for this method (405).",
    fix: "Use a method that the answer's `Allow` header lists.",
  },
  HL_BODY_TOO_LARGE: {
    when: "A request's body or headers are larger than the hub accepts (413, 431).",
    fix: "Send less at a time; `docs/hub-api.md` has the limits.",
  },
  HL_MEDIA_TYPE: {
    when: "A request's `Content-Type` is not one that the route accepts, or its body is compressed (415).",
    fix: "Send `application/json` or `application/x-ndjson`, in UTF-8 and not compressed.",
  },
  HL_TOO_MANY: {
    when: "The hub is overloaded: too many wrong tokens, events waiting for the disk, bodies or connections (429, 503).",
    fix: "Try again after the number of seconds in `Retry-After`.",
  },
  HL_REQUEST_TIMEOUT: { when: "A request did not arrive completely in time (408).", fix: "Send it without pauses." },
  HL_HUB_FAILED: {
    when: "The hub failed while it handled a valid request (500).",
    fix: "Read the hub's log and report the failure.",
  },
  HL_NO_HUB: {
    when: "A program was connected, and there is no hub in the folder where it looks for one. Nothing is recorded and no guard of a hub is asked until one starts; with `required`, every gate denies until then. It is said once.",
    fix: "Run `hookline up`. If the program is to run without a hub, set HOOKLINE_FORWARD=0.",
  },
  HL_HUB_UNREACHABLE: {
    when: "The hub that `hub.json` names cannot be reached, does not acknowledge, or refuses the connection. Events wait in the queue; a gate fails.",
    fix: "Run `hookline status`, or start a hub with `hookline up`; the process reconnects by itself. In a container, mount the folder that the message names. `hookline down` removes the files of a hub that is gone, and its gates with them.",
  },
  HL_HUB_UNPROVEN: {
    when: "The program that answered on the hub's socket could not prove that it is the hub. Nothing was sent to it.",
    fix: "Find out what listens on the socket that the message names, and run `hookline up` again.",
  },
  HL_HUB_FOREIGN: {
    when: "`hub.json` or its folder can be read or changed by another user, so it is ignored.",
    fix: "Correct the file or the folder as the message says; the process then finds the hub by itself.",
  },
  HL_SPOOL_FAILED: {
    when: "Events could not be written to the spool, or read back from it. Lost events are counted under `spool_failed`.",
    fix: "Free disk space or correct the permissions of the folder that the message names.",
  },
  HL_LINE_TAKEN: {
    when: "`connectToHub` was called with other options for a bus that is already connected.",
    fix: "Use the connection of the first call, or close it first. The same options return the same connection.",
  },
  HL_OFF: {
    when: "`HOOKLINE` is `0`, `false`, `no` or `off` in the environment of a process with its own bus. The bus reports this once and calls no handler.",
    fix: "If this is intended, do nothing. Otherwise `unset HOOKLINE` and start the process again.",
  },
  HL_COMMAND_MISSING: {
    when: "The program of a command hook does not exist. `closed` denies.",
    fix: "Install it, or correct `command`: a bare name is looked up in PATH, a relative path starts in the folder of the file that contains it.",
  },
  HL_COMMAND_NOT_EXECUTABLE: {
    when: "The file of a command hook is not executable. `closed` denies.",
    fix: "`chmod +x` the file, or name its interpreter as `command` and the file in `args`.",
  },
  HL_COMMAND_INTERPRETER: {
    when: "The interpreter in the first line of a command hook's script does not exist. `closed` denies.",
    fix: "Install the interpreter, or correct the `#!` line.",
  },
  HL_COMMAND_FOLDER: {
    when: "The working folder of a command hook does not exist, or is not a folder. `closed` denies.",
    fix: "Create the folder, or correct `cwd`.",
  },
  HL_COMMAND_SPAWN: {
    when: "A command hook could not be started for another reason, such as an environment that is too long or a limit on processes. `closed` denies.",
    fix: "Fix what the message names; it quotes the system's error.",
  },
  HL_COMMAND_FAILED: {
    when: "A command hook ended with an exit code that is not a verdict, or with a signal. `closed` denies.",
    fix: "Run it by hand with `hookline hooks test`; the message has the end of its stderr.",
  },
  HL_COMMAND_OUTPUT: {
    when: "The stdout of a command hook is not a valid answer in its dialect: it is not one JSON document, has another shape, or is larger than 1 MiB. `closed` denies.",
    fix: "Write only the answer to stdout and everything else to stderr; docs/hooks.md has the dialects.",
  },
  HL_COMMAND_OVERLOADED: {
    when: "A command hook has reached its limit of running and waiting calls. `closed` denies.",
    fix: "Make the command faster, or turn it into an extension process, which answers many calls at once.",
  },
  HL_URL_TARGET: {
    when: "The URL of a hook is invalid, contains a user and password, or leads to an address that must not be dialled: link-local, metadata, unspecified, multicast, or beyond loopback over plain http. `closed` denies.",
    fix: "Give an https URL of a host you trust, or plain http on 127.0.0.1, [::1] or localhost; credentials belong in `headers`.",
  },
  HL_URL_REQUEST: {
    when: "The hub could not ask a url hook: its headers cannot be read or sent, or the event cannot be written as JSON. `closed` denies.",
    fix: "Correct the header, or the file or variable that its value comes from; the message names it.",
  },
  HL_URL_UNREACHABLE: {
    when: "The hub cannot connect to the server of a url hook: the name does not resolve, no program listens, or TLS fails. `closed` denies.",
    fix: "Check that the server runs and that its certificate is valid for the host; `NODE_EXTRA_CA_CERTS` names your own certificate authority.",
  },
  HL_URL_LOST: {
    when: "The connection to the server of a url hook ended before its answer was complete. `closed` denies.",
    fix: "Read the server's log: it closed the connection or crashed during the request.",
  },
  HL_URL_ANSWER: {
    when: "The answer of a url hook is not valid: it has a status other than 2xx, is a redirect, is not JSON, has another shape, or is larger than 1 MiB. `closed` denies.",
    fix: "Answer 200 with `content-type: application/json`, or 204 without an opinion; docs/hooks.md has the dialects.",
  },
  HL_URL_OVERLOADED: {
    when: "A url hook has reached its limit of open and waiting calls. `closed` denies.",
    fix: "Make the server faster, or narrow the hook with `match` and `tool`.",
  },
  HL_UNTRUSTED: {
    when: "A project has hooks without your consent, or hooks that changed after you consented. They do not run.",
    fix: "Review them and consent with `hookline hooks trust`; without a terminal, `hookline up` starts without them only with `--skip-untrusted`.",
  },
  HL_TRUST_FOLDER: {
    when: "A hook's folder cannot be pinned: it is too large, changes while it is read, or contains a link that leads outside, a pipe or a device. Or the code that runs could differ from the code that is shown: its manifest or handler is a link or not text, or its command leads out of the folder.",
    fix: "Fix what the message names; you can consent only to a folder of plain files.",
  },
  HL_TRUST_STORE: {
    when: "The record of consent, or a trusted copy, cannot be read or written, or was changed by another program.",
    fix: "Free disk space or correct the permissions, or run what the message says; if a copy was changed, run `hookline hooks trust` again.",
  },
  HL_BUNDLE: {
    when: "A policy bundle is damaged, not signed by a trusted key, expired, older than the one in force, or does not pass its own tests. The last good bundle stays in force.",
    fix: "Read the message; `hookline policy status` shows what is in force. The signer must build the bundle again.",
  },
  HL_AGENT_FILE: {
    when: "An agent's settings file, or the record of Hookline's entries in it, cannot be read, edited or written safely. Nothing was changed.",
    fix: "Fix what the message names, then run the command again; `--dry-run` shows what it would do.",
  },
  HL_IMPORT: {
    when: "A file of another agent's hooks cannot be imported, because that agent could not read it either.",
    fix: "Correct the file at the place that the message names.",
  },
  HL_EXTENSION_COMMAND: {
    when: "The command of an extension, or the interpreter of its script, does not exist. Its handlers fail: `closed` denies.",
    fix: "Install the program, or correct `command` in the manifest; a name without a slash is looked up in the PATH.",
  },
  HL_EXTENSION_SCRIPT: {
    when: "The script that an extension's command runs does not exist.",
    fix: "Restore the file, or correct `args` in the manifest; relative paths start in the extension's folder.",
  },
  HL_EXTENSION_NOT_EXECUTABLE: {
    when: "The command of an extension is a file that is not executable.",
    fix: "Run the `chmod +x` from the message, or name its interpreter as the `command`.",
  },
  HL_EXTENSION_FOLDER: {
    when: "The folder that an extension runs in does not exist.",
    fix: "Restore the folder, or remove the extension.",
  },
  HL_EXTENSION_CONFIG: {
    when: "A setting that an extension requires is missing, or a setting was given that its manifest does not have.",
    fix: "Give the setting, or set the environment variable that the message names for the hub's process.",
  },
  HL_EXTENSION_START: {
    when: "An extension's process ended, or did not answer `initialize` in time.",
    fix: "Run its command by hand in its folder; the message has the end of its stderr.",
  },
  HL_EXTENSION_CRASHED: {
    when: "An extension's process ended while a request was open. The hub starts it again, at most three times in a row.",
    fix: "Fix the extension; the message says how it ended and has the end of its stderr.",
  },
  HL_EXTENSION_PROTOCOL: {
    when: "An extension does not speak the protocol: malformed frames, unsolicited answers, another version.",
    fix: "Write only frames to stdout, and answer each request once, as the SDKs do. docs/extensions.md has the protocol.",
  },
  HL_EXTENSION_ANSWER: {
    when: "An extension's answer is well formed but cannot be used.",
    fix: "Answer with one of the outcomes of docs/outcomes.md.",
  },
  HL_EXTENSION_OVERLOADED: {
    when: "An extension has reached its limit of open requests, or does not read them.",
    fix: "Make the extension faster, or narrow its hooks with `match` and `tool`.",
  },
  HL_EXTENSION_STOPPED: {
    when: "An extension was asked after it was stopped.",
    fix: "If the hub is stopping, do nothing; otherwise enable the extension again.",
  },
  HL_FLEET_MISSING: {
    when: "A command of the fleet was called, or this hub has joined one, and the package `@hookline/fleet` is not installed in the same version.",
    fix: INSTALL_OPTIONAL,
  },
  HL_MCP_MISSING: {
    when: "A command of `hookline mcp` or `hookline acp` was called, and the package `@hookline/mcp` is not installed in the same version.",
    fix: INSTALL_OPTIONAL,
  },
  HL_MCP_SETTING: {
    when: "A command of `hookline mcp` or `hookline acp` cannot do what its options ask for: a name, an address, a client or a record is wrong.",
    fix: "Do what the message says.",
  },
  HL_FLEET_SERVER: {
    when: "The fleet's NATS server cannot be reached, or refuses what the fleet needs.",
    fix: "Run `hookline fleet doctor`.",
  },
  HL_FLEET_VERSION: {
    when: "The fleet's NATS server is older than 2.12 or runs without JetStream.",
    fix: "Install a newer nats-server, and start it with the configuration that `hookline fleet init` wrote.",
  },
  HL_FLEET_CREDENTIALS: {
    when: "A credential of a fleet, an invitation or the admin's folder is missing, incomplete or cannot be used.",
    fix: "Ask the fleet's admin for a new invitation: `hookline fleet invite <host>`.",
  },
  HL_FLEET_ROSTER: {
    when: "The fleet's list of people, hubs and hosts is not signed by its root key, is older than the one in use, or is missing.",
    fix: "Run `hookline fleet doctor`; the admin publishes the list with `hookline fleet init`.",
  },
  HL_FLEET_NAME: {
    when: "The name of a host, person, hub or tenant of a fleet cannot be a part of a subject.",
    fix: "Use at most 63 of a-z, 0-9, - and _, beginning with a letter or a digit.",
  },
} as const satisfies Record<string, { readonly when: string; readonly fix: string }>;

/** Names the cause of a `HookError`. The error reference explains each code. */
export type ErrorCode = keyof typeof errorCodes;
