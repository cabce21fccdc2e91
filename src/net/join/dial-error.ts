import { joinRefusals } from './messages.ts';

export const dialCodes = [
  'no-webrtc',
  'no-signalling',
  'ice-failed',
  'not-the-host',
  'removed',
  ...joinRefusals,
] as const;
/** Why a worker could not reach its host. The page has words for each. */
export type DialCode = (typeof dialCodes)[number];

export class DialError extends Error {
  readonly code: DialCode;

  constructor(code: DialCode, message: string) {
    super(message);
    this.name = 'DialError';
    this.code = code;
  }
}
