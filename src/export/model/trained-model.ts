import type { Experiment } from '../../experiment/experiment.ts';
import { type Named, resolveExperiment } from '../../models/plan.ts';

/** Parameters that training came to, in the order of the model's schema. */
export interface TrainedModel {
  readonly experiment: Experiment;
  /** How many updates made them. */
  readonly version: number;
  readonly params: Float32Array;
}

/** The model and data that its experiment names; throws if the parameters are not those of that model. */
export function resolveTrained({ experiment, params }: TrainedModel): Named {
  const named = resolveExperiment(experiment);
  if (named.schema.size !== params.length) {
    throw new RangeError(
      `the model ${experiment.model} has ${named.schema.size} parameters, ${params.length} came: give those of this experiment`,
    );
  }
  return named;
}

/** What the numbers of an input mean, in words. */
export function inputWords({ kind, data }: Named): string {
  return kind === 'layers'
    ? `float32 of shape [examples, ${data.input.join(', ')}]: pixels 0 … 255 divided by 255; any other standardization is part of the model`
    : 'sparse: the sum of the weights at the features an example has, times their values, plus the bias; the sigmoid of that is the probability of a click';
}
