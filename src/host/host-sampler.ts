import { carriedBytes, type TransportStats } from '../net/link/link.ts';
import {
  type LinkBytes,
  type ResourceSampler,
  resourceSampler,
  type SamplerDeps,
} from '../observe/resource-sampler.ts';
import type { HostState } from './state.ts';

export interface HostSamplerDeps extends Pick<SamplerDeps, 'now' | 'openGauges'> {
  state(): HostState;
  /** The links of the host by number, with what they last counted. */
  links(): Iterable<readonly [number, { readonly stats: TransportStats | null }]>;
}

/** Samples the tab or process of a host. Busy is its server thread; bytes are of all links, those that ended too. */
export const hostSampler = ({ state, links, ...deps }: HostSamplerDeps): ResourceSampler =>
  resourceSampler({
    ...deps,
    busyMs: () => state().run?.counters.busyMs ?? 0,
    links: async () =>
      Array.from(links()).flatMap(([link, { stats }]): LinkBytes[] =>
        stats ? [{ key: String(link), ...carriedBytes(stats) }] : [],
      ),
  });
