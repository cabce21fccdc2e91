import type { Experiment } from '../core/config.ts';
import type { Schema } from '../core/schema.ts';
import { type DataSpec, dataSpecs } from './data.ts';
import { type Model, misfit, modelSchema, models } from './model.ts';

/** The things an experiment names. */
export interface Named {
  readonly model: Model;
  readonly data: DataSpec;
  readonly schema: Schema;
}

const lookUp = <Thing>(what: string, table: Readonly<Record<string, Thing>>, name: string): Thing => {
  const thing = Object.hasOwn(table, name) ? table[name] : undefined;
  if (thing === undefined)
    throw new RangeError(`unknown ${what} "${name}": use one of ${Object.keys(table).join(', ')}`);
  return thing;
};

/** Looks up an experiment's model and data; throws with the known names if one is unknown. */
export function resolveExperiment(experiment: Experiment): Named {
  const model = lookUp<Model>('model', models, experiment.model);
  const data = lookUp<DataSpec>('data', dataSpecs, experiment.data);
  const wrong = misfit(model, data);
  if (wrong !== null) throw new RangeError(wrong);
  if (experiment.batch > data.trainCount) {
    throw new RangeError(`batch ${experiment.batch} is more than the ${data.trainCount} examples there are`);
  }
  return { model, data, schema: modelSchema(model, data.input, data.classes) };
}
