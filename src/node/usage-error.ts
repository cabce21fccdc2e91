/** A mistake in what the user typed: one line, exit code 2. */
export class UsageError extends Error {}
