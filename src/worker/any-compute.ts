import { errorText } from '../experiment/error-text.ts';
import type { BackendChoice } from '../models/backend.ts';
import { type Named, resolveExperiment } from '../models/plan.ts';
import type { Compute } from './compute.ts';
import { SoftwareError } from './failure.ts';

/** Computes what the experiment's model needs; the tensor library loads with the first model that is made of layers. */
export function anyCompute(
  baseUrl: string,
  backend: BackendChoice,
  onBackend: (backend: { readonly name: string; readonly why: string }) => void,
): Compute {
  const load = {
    layers: async () => (await import('./layers-compute.ts')).layersCompute(baseUrl, backend, onBackend),
    sparse: async () => (await import('./sparse-compute.ts')).sparseCompute(),
  };
  const loading: Partial<Record<Named['kind'], Promise<Compute>>> = {};
  const loaded: Partial<Record<Named['kind'], Compute>> = {};
  let kind: Named['kind'] = 'layers';
  const current = (): Compute => {
    const compute = loaded[kind];
    if (!compute) throw new Error('a step before its model was prepared');
    return compute;
  };

  return {
    async prepare(experiment, onStage, fetchExamples) {
      const needed = resolveExperiment(experiment).kind;
      kind = needed;
      if (needed === 'layers') onStage({ kind: 'preparing', what: 'library', fraction: null });
      loading[needed] ??= load[needed]().catch((error: unknown) => {
        throw new SoftwareError(errorText(error), { cause: error });
      });
      const compute = await loading[needed];
      loaded[needed] = compute;
      return compute.prepare(experiment, onStage, fetchExamples);
    },
    prefetch: (lease) => current().prefetch(lease),
    step: (params, lease) => current().step(params, lease),
  };
}
