import './codec-form.css';
import { type CodecName, downNames, upNames } from '../../experiment/experiment.ts';
import type { HostModel } from '../host/model.ts';
import { bytes, NOTHING } from '../words/format.ts';
import { codecWords } from '../words/strategy-words.ts';
import { codecBytes, exchangeWords, modelSize } from '../words/wire-words.ts';
import { isAsked } from './experiment-draft.ts';
import { Group, NumberRow, Problem, problemProps, setText } from './form-fields.tsx';

const canGoDown = (codec: CodecName): boolean => downNames.some((name) => name === codec);

/** One codec: its bytes, and where it is chosen. */
function Codec({ model, codec, numbers }: { model: HostModel; codec: CodecName; numbers: number | null }) {
  const { texts } = model.draft.value;
  const size = numbers === null ? null : codecBytes(codec, Number(texts.topk), numbers);
  const cost = size === null ? NOTHING : bytes(size);
  const { title, text } = codecWords[codec];
  const radio = (way: 'up' | 'down') => (
    <input
      type="radio"
      name={way}
      value={codec}
      checked={texts[way] === codec}
      aria-label={`${way === 'up' ? 'Gradients up' : 'Parameters down'}: ${title}, ${cost}`}
      {...problemProps(model, way)}
      onChange={() => setText(model, way, codec)}
    />
  );
  return (
    <tr title={text}>
      <th scope="row">{title}</th>
      <td class="number">{cost}</td>
      <td>{radio('up')}</td>
      {isAsked(model.draft.value, 'down') && <td>{canGoDown(codec) && radio('down')}</td>}
    </tr>
  );
}

/** How numbers travel each way, with the exact bytes of each choice. */
export function CodecForm({ model }: { model: HostModel }) {
  const { texts } = model.draft.value;
  const reading = model.reading.value;
  const hasDown = isAsked(model.draft.value, 'down');
  const numbers = modelSize(texts.model, texts.data);
  const title = (name: string) => codecWords[upNames.find((known) => known === name) ?? 'float32'].title;
  const [up, down] = [title(texts.up), title(texts.down)];
  const gist = !hasDown ? up : up === down ? `${up} both ways` : `${up} up, ${down} down`;
  return (
    <Group model={model} title="On the wire" gist={gist} keys={['up', 'down', 'topk']}>
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
      <Problem model={model} name="up" />
      <Problem model={model} name="down" />
      <NumberRow
        model={model}
        name="topk"
        label="Share that is sent"
        title="Of all numbers, the largest: 0.01 is one in a hundred"
      />
      {reading.ok && (
        <p class="aside">
          {codecWords[reading.experiment.up].text} {exchangeWords(reading.experiment)}
        </p>
      )}
    </Group>
  );
}
