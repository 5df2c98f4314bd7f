/** The longest reply a client takes: a rewritten call may be as long as the call. */
export const MAX_REPLY_BYTES = 16 * 1024 * 1024;
