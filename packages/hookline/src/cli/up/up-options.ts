/** Options of `hookline up`. */
export interface UpOptions {
  readonly detach?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly remoteApprovals?: boolean;
  readonly data?: string;
  readonly config?: string;
  readonly open?: boolean;
  readonly demo?: boolean;
  readonly skipUntrusted?: boolean;
}
