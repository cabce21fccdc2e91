/** Why data cannot be used, and what to do about it, in words for the person at the page. */
export class DataError extends Error {
  override readonly name = 'DataError';
}
