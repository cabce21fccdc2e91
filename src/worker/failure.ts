import { DataError } from '../data/data-error.ts';
import { errorText } from '../experiment/error-text.ts';
import { ProblemsError } from '../experiment/problems.ts';
import { DeviceError } from '../ml/device-error.ts';

/**
 * What kept a worker from computing. `data`: it could not be fetched or read, here or by the host; `device`: nothing here can
 * compute it; `experiment`: its names are unknown, or its settings impossible; `software`: part of this page did not load;
 * `unexpected`: a fault of this page.
 */
export interface Failure {
  readonly code: 'data' | 'device' | 'experiment' | 'software' | 'unexpected';
  /** In words. */
  readonly detail: string;
}

/** A part of this page could not be loaded. */
export class SoftwareError extends Error {
  override readonly name = 'SoftwareError';
}

/** The kind of failure that an error stands for: each kind has a class, thrown where it arises. */
export function failureOf(error: unknown): Failure {
  return { code: codeOf(error), detail: errorText(error) };
}

function codeOf(error: unknown): Failure['code'] {
  if (error instanceof DataError) return 'data';
  if (error instanceof ProblemsError) return 'experiment';
  // Numbers that grow beyond all bounds do so on every device: the settings are to blame.
  if (error instanceof DeviceError) return error.fault === 'non-finite' ? 'experiment' : 'device';
  return error instanceof SoftwareError ? 'software' : 'unexpected';
}
