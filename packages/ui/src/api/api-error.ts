/** What the hub refused, or that it could not be reached: then the status is 0. */
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

export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, { code: "HL_UNREACHABLE", message: thrown instanceof Error ? thrown.message : "Something went wrong." });
}
