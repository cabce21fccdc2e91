import * as z from 'zod/mini';

/** A description of one data channel has about 1,000. */
export const MAX_SIGNAL_CHARS = 16_384;

const call = z.int().check(z.minimum(0), z.maximum(2 ** 32 - 1));
/** One data channel and nothing else: for media a browser would start codecs. */
const isDataOnly = (sdp: string): boolean => sdp.match(/^m=.{0,11}/gm)?.join() === 'm=application';
const sdp = z.string().check(z.maxLength(MAX_SIGNAL_CHARS), z.refine(isDataOnly));

export const offerSchema = z.object({ kind: z.literal('offer'), call, sdp });
export const answerSchema = z.object({ kind: z.literal('answer'), call, sdp });
export const candidateSchema = z.object({
  kind: z.literal('candidate'),
  call,
  candidate: z.string().check(z.maxLength(512)),
});
const signalSchema = z.discriminatedUnion('kind', [offerSchema, answerSchema, candidateSchema]);
/** What two ends say to each other before they are connected. `call` names the offer that it belongs to. */
export type Signal = z.infer<typeof signalSchema>;

/** A STUN or TURN server, as browsers take them. */
export const iceServerSchema = z.object({
  urls: z.string(),
  username: z.optional(z.string()),
  credential: z.optional(z.string()),
});
export type IceServer = Readonly<z.infer<typeof iceServerSchema>>;

/** The signal in a text of any origin, or null. */
export function readSignal(text: string): Signal | null {
  if (text.length > MAX_SIGNAL_CHARS) return null;
  try {
    return signalSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** A name for a call that no other has. */
export const newCall = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/** The DTLS fingerprints of both ends of a connection. */
export interface Fingerprints {
  readonly local: string;
  readonly remote: string;
}

/**
 * The fingerprints that two session descriptions name; null where one names none, or several: DTLS would then go by
 * another than was proven.
 */
export function fingerprintsOf(localSdp = '', remoteSdp = ''): Fingerprints | null {
  const [local, remote] = [localSdp, remoteSdp].map((sdp) => {
    const [first, second] = new Set(sdp.toLowerCase().match(/^a=fingerprint:\S+ \S+/gm));
    return second === undefined ? first?.slice('a=fingerprint:'.length) : undefined;
  });
  return local && remote ? { local, remote } : null;
}
