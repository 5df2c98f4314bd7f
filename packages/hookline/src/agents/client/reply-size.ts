/** The longest reply that a client accepts: a rewritten call may be as long as the call. */
export const MAX_REPLY_BYTES = 16 * 1024 * 1024;
