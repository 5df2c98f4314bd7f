import type { ApiError } from "../api/api-error.js";
import { Icon } from "./icon.js";

/** What the hub refused, in its own words, with its way out. */
export function Trouble({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined) return null;
  const isMissing = error.status === 404 && error.code === "HL_NOT_FOUND";
  return (
    <div class="trouble" role="alert">
      <Icon name="warn" />
      <div>
        <p>{isMissing ? "The hub has nothing here." : error.message}</p>
        {error.fix !== undefined && <p class="dim">{error.fix}</p>}
        {error.code !== "" && <p class="dim mono">{error.code}</p>}
      </div>
    </div>
  );
}
