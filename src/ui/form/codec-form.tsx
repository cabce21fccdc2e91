import './codec-form.css';
import { type CodecName, downNames, upNames } from '../../experiment/experiment.ts';
import { settings } from '../../experiment/settings.ts';
import { bytes, NOTHING } from '../../observe/format.ts';
import type { HostModel } from '../host/model.ts';
import { codecWords } from '../words/strategy-words.ts';
import { codecBytes, exchangeWords, modelSize } from '../words/wire-words.ts';
import { isUnusual } from './experiment-draft.ts';
import { Group, Problem, problemProps, SettingRow, setText } from './form-fields.tsx';

const canGoDown = (codec: CodecName): boolean => downNames.some((name) => name === codec);

/** One codec: its bytes, and where it is chosen. */
function Codec({ model, codec, numbers }: { model: HostModel; codec: CodecName; numbers: number | null }) {
  const { form } = model;
  const { texts } = form.draft.value;
  const size = numbers === null ? null : codecBytes(codec, Number(texts.topk), numbers);
  const cost = size === null ? NOTHING : bytes(size);
  const title = settings.up.choices[codec];
  const radio = (way: 'up' | 'down') => (
    <input
      type="radio"
      name={way}
      value={codec}
      checked={texts[way] === codec}
      aria-label={`${way === 'up' ? 'Gradients up' : 'Parameters down'}: ${title}, ${cost}`}
      {...problemProps(form, way)}
      onChange={() => setText(form, way, codec)}
    />
  );
  return (
    <tr title={codecWords[codec]}>
      <th scope="row">{title}</th>
      <td class="number">{cost}</td>
      <td>{radio('up')}</td>
      {form.isAsked('down') && <td>{canGoDown(codec) && radio('down')}</td>}
    </tr>
  );
}

/** How numbers travel each way, with the exact bytes of each choice. */
export function CodecForm({ model }: { model: HostModel }) {
  const { form } = model;
  const { texts } = form.draft.value;
  const reading = model.reading.value;
  const hasDown = form.isAsked('down');
  const numbers = modelSize(texts.model ?? '', texts.data ?? '');
  const title = (name = '') => settings.up.choices[upNames.find((known) => known === name) ?? 'float32'];
  const [up, down] = [title(texts.up), title(texts.down)];
  const summary = !hasDown ? up : up === down ? `${up} both ways` : `${up} up, ${down} down`;
  return (
    <Group title="On the wire" summary={summary} isUnusual={isUnusual(form.draft.value, ['up', 'down', 'topk'])}>
      <table class="codecs">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Numbers as</span>
            </th>
            <th scope="col" class="number">
              bytes
            </th>
            <th scope="col" title="Gradients, from the worker">
              {hasDown ? 'up' : 'chosen'}
            </th>
            {hasDown && (
              <th scope="col" title="Parameters, to the worker">
                down
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {upNames.map((codec) => (
            <Codec key={codec} model={model} codec={codec} numbers={numbers} />
          ))}
        </tbody>
      </table>
      <Problem form={form} name="up" />
      <Problem form={form} name="down" />
      <SettingRow form={form} name="topk" />
      {reading.ok && (
        <p class="aside">
          {codecWords[reading.experiment.up]} {exchangeWords(reading.experiment)}
        </p>
      )}
    </Group>
  );
}
