/** What went wrong, in words: an error's message, or whatever else was thrown as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
