/*
 * What the Trace Event format asks of a file, and what Perfetto's importer makes of it: a reader that shares nothing with the
 * writer. Faults are sentences; a sound trace has none.
 */

type Fields = Readonly<Record<string, unknown>>;

interface Slice {
  readonly from: number;
  readonly to: number;
  /** Where it is in the file. */
  readonly at: number;
}

const isId = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const threadOf = ({ pid, tid }: Fields): string => `process ${pid}, thread ${tid}`;

/** What each kind of metadata tells, in its arguments. */
const metadata: Readonly<Record<string, readonly [string, (value: unknown) => boolean]>> = {
  process_name: ['name', (value) => typeof value === 'string' && value !== ''],
  thread_name: ['name', (value) => typeof value === 'string' && value !== ''],
  process_sort_index: ['sort_index', Number.isInteger],
  thread_sort_index: ['sort_index', Number.isInteger],
};

/** Everything that is wrong with a trace. */
export function traceFaults(json: string): readonly string[] {
  const faults: string[] = [];
  const file: unknown = JSON.parse(json);
  if (!isObject(file) || !Array.isArray(file.traceEvents)) return ['there is no list of events'];
  if (file.displayTimeUnit !== 'ms' && file.displayTimeUnit !== 'ns') faults.push('the unit is neither ms nor ns');
  if (file.otherData !== undefined && !isObject(file.otherData)) faults.push('what else there is must be an object');

  const processes = new Map<number, string>();
  const threads = new Map<number, { readonly pid: number; readonly name: string }>();
  const slices = new Map<string, Slice[]>();
  const flows = new Map<string, { readonly event: Fields; readonly at: number }[]>();
  for (const [at, event] of (file.traceEvents as unknown[]).entries()) {
    const fault = (words: string) => faults.push(`event ${at}: ${words}`);
    if (!isObject(event)) {
      fault('is no object');
      continue;
    }
    const { ph, name, pid, tid, ts, dur, cat, id, args } = event;
    if (typeof name !== 'string' || name === '') fault('has no name');
    if (args !== undefined && !isObject(args)) fault('its arguments are no object');
    if (!isId(pid) || !isId(tid) || pid === 0) {
      fault(`process ${pid}, thread ${tid} are no numbers of such`);
      continue;
    }
    if (ph === 'M') {
      const [key, isSound] = metadata[String(name)] ?? [];
      if (key === undefined || !isObject(args) || !isSound?.(args[key]))
        fault(`metadata ${name} is not known, or says nothing`);
      if (name === 'process_name') {
        if (processes.has(pid)) fault(`process ${pid} is named twice`);
        processes.set(pid, String(args && (args as Fields).name));
      }
      if (name === 'thread_name') {
        if (threads.has(tid)) fault(`thread ${tid} is named twice, or belongs to two processes`);
        if (tid === pid) fault(`thread ${tid} is the process itself`);
        threads.set(tid, { pid, name: String(args && (args as Fields).name) });
      }
      continue;
    }
    // Fractions of a microsecond are turned into nanoseconds by some readers cutting, by others rounding.
    if (!Number.isSafeInteger(ts) || Number(ts) < 0) fault(`its time ${ts} is no whole microsecond`);
    if (typeof cat !== 'string' || cat === '') fault('has no category');
    if (ph === 'X') {
      if (!Number.isSafeInteger(dur) || Number(dur) <= 0) fault(`its duration ${dur} is no whole microsecond`);
      const thread = threadOf(event);
      const of = slices.get(thread) ?? [];
      slices.set(thread, of);
      of.push({ from: Number(ts), to: Number(ts) + Number(dur), at });
      if (threads.get(tid)?.pid !== pid) fault(`thread ${tid} of process ${pid} has no name`);
      if (!processes.has(pid)) fault(`process ${pid} has no name`);
    } else if (ph === 's' || ph === 't' || ph === 'f') {
      if (!isId(id)) fault(`its id ${id} is no number`);
      if (ph === 'f' && event.bp !== 'e') fault('ends at the next slice instead of the one it is in');
      const key = `${cat} ${name} ${id}`;
      flows.set(key, [...(flows.get(key) ?? []), { event, at }]);
    } else fault(`is of kind ${ph}, which is not written here`);
  }
  for (const [thread, of] of slices) faults.push(...nestingFaults(thread, of));
  for (const [key, events] of flows) faults.push(...flowFaults(key, events, slices));
  return faults;
}

/** Slices of one thread are inside of each other, or apart. */
function nestingFaults(thread: string, slices: readonly Slice[]): string[] {
  const faults: string[] = [];
  const open: Slice[] = [];
  for (const slice of [...slices].sort((a, b) => a.from - b.from || b.to - a.to)) {
    while (open.length > 0 && (open.at(-1) as Slice).to <= slice.from) open.pop();
    const around = open.at(-1);
    if (around && around.to < slice.to) faults.push(`${thread}: event ${slice.at} sticks out of event ${around.at}`);
    open.push(slice);
  }
  return faults;
}

/** An arrow begins once, ends once, never goes back in time, and each of its points is in a slice that was there before it. */
function flowFaults(
  key: string,
  events: readonly { readonly event: Fields; readonly at: number }[],
  slices: ReadonlyMap<string, readonly Slice[]>,
): string[] {
  const faults: string[] = [];
  const course = events.map(({ event }) => event.ph).join('');
  if (!/^st*f$/.test(course)) faults.push(`arrow ${key} goes ${course}`);
  let before = Number.NEGATIVE_INFINITY;
  for (const { event, at } of events) {
    const ts = Number(event.ts);
    const around = slices.get(threadOf(event))?.find(({ from, to, at: place }) => from <= ts && ts < to && place < at);
    if (!around) faults.push(`arrow ${key}: event ${at} is in no slice`);
    // Perfetto turns an arrow round that leads to a slice with an earlier start.
    else if (around.from < before) faults.push(`arrow ${key}: event ${at} leads back in time`);
    before = around?.from ?? ts;
  }
  return faults;
}
