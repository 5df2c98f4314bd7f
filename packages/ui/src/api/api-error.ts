/** What the hub refused, or that it could not be reached, or what else failed: then the status is 0. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;

  constructor(status: number, { code, message, fix }: { readonly code: string; readonly message: string; readonly fix?: string }) {
    super(message);
    this.status = status;
    this.code = code;
    this.fix = fix;
  }
}

/** What is not from the hub has no code: it went wrong in this page. */
export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, { code: "", message: `The dashboard failed: ${thrown instanceof Error ? thrown.message : "nobody knows why"}` });
}
