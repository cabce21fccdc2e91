/** What an error says; of anything else that was thrown, its text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
