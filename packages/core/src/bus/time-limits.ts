/** How long a handler may take if neither it nor its bus sets a limit. */
export const DEFAULT_HANDLER_TIMEOUT_MS = 5_000;

/** How long an approval waits for a person if the bus sets no limit. */
export const DEFAULT_APPROVAL_TIMEOUT_MS = 300_000;

/**
 * A call has one owner of its deadline: the part that waits for the answer from outside (a hook's process, command or server; the hub; a
 * listener on a socket), because it can say who did not answer. Every part around the owner waits this much longer. The bus looks at long
 * deadlines every 100 ms only, so a few milliseconds would not do.
 */
export const ANSWER_MARGIN_MS = 500;
