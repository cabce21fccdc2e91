/**
 * `lost`: the device went away (a driver reset, a sleeping laptop); `memory`: it has not enough; `unsupported`: it
 * cannot run an operator; `non-finite`: the numbers are no longer numbers, on any device.
 */
export type DeviceFault = 'lost' | 'memory' | 'unsupported' | 'non-finite';

/** A step that gave no result, in words for the person whose device it is. Nothing of that step may be used. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  readonly fault: DeviceFault;

  constructor(fault: DeviceFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** What an exception from a tensor library means for the device. */
export function deviceErrorOf(error: unknown): unknown {
  if (error instanceof DeviceError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (/out of memory|oom|allocat|memory access out of bounds|exceeds.*limit/i.test(text)) {
    return new DeviceError('memory', `this device has not enough memory for the model (${text})`, { cause: error });
  }
  if (/not registered|not (yet )?supported|unsupported/i.test(text)) {
    return new DeviceError('unsupported', `this device cannot run the model (${text})`, { cause: error });
  }
  if (/device.*(lost|destroyed)|\blost\b|mapAsync|external instance reference/i.test(text)) {
    return new DeviceError('lost', `the graphics processor went away (${text})`, { cause: error });
  }
  return error;
}
