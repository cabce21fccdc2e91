import { useState } from 'preact/hooks';
import { LARGE_MODEL_BYTES } from '../../lab/run-order.ts';
import { bytes } from '../../observe/format.ts';
import { Check } from '../parts/choice.tsx';
import type { LabModel } from './model.ts';
import { sized } from './plan.ts';

/** As many as a sweep may ask for. */
const MAX_REPEATS = 100;

interface RepeatsProps {
  /** How often each is run as it is. */
  readonly asked: number;
  readonly min: number;
  onChange(repeats: number): void;
}

/** How often each setting is run. */
export function Repeats({ asked, min, onChange }: RepeatsProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null;
  const read = (text: string) => {
    const count = Number(text);
    const isCount = /^\d+$/.test(text) && count >= min && count <= MAX_REPEATS;
    setTyped(isCount ? null : text);
    if (isCount) onChange(count);
  };
  return (
    <div class="row" title="With another seed each time: the report then has means and spreads">
      <label for="lab-repeats">Times each is run</label>
      <input
        id="lab-repeats"
        type="text"
        inputMode="numeric"
        autocomplete="off"
        value={typed ?? String(asked)}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? 'lab-repeats-problem' : undefined}
        onChange={(event) => read(event.currentTarget.value.trim())}
      />
      {isWrong && (
        <p class="problem" id="lab-repeats-problem">
          A whole number from {min} to {MAX_REPEATS}.
        </p>
      )}
    </div>
  );
}

/** What may differ from the sweep: repeats, the data, which models are kept. */
export function LabAdjust({ model }: { model: LabModel }) {
  const choice = model.choice.value;
  const { takesFile, keepsLargeModels, sweep, isQuick } = choice;
  const plan = model.plan.value;
  const usual = sized({ ...choice, repeats: null }).repeats;
  return (
    <>
      <Repeats
        key={`${sweep.name} ${isQuick}`}
        asked={choice.repeats ?? usual}
        min={1}
        onChange={(repeats) => model.adjust({ repeats: repeats === usual ? null : repeats })}
      />
      {plan.ok && plan.canTakeFile && (
        <Check
          class="check"
          title="In place of generated ones"
          isOn={takesFile}
          onChange={(isOn) => model.adjust({ takesFile: isOn })}
        >
          Examples from a file
        </Check>
      )}
      {plan.ok && plan.modelBytes > LARGE_MODEL_BYTES && (
        <Check
          class="check"
          title="For the zip; otherwise results alone are kept"
          isOn={keepsLargeModels}
          onChange={(isOn) => model.adjust({ keepsLargeModels: isOn })}
        >
          Keep each trained model, up to {bytes(plan.modelBytes)}
        </Check>
      )}
    </>
  );
}
