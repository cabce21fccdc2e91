import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface SegmentsProps<Value extends string> {
  /** What is chosen, for who does not see what is around it. */
  readonly label: string;
  readonly name: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly hints?: Readonly<Record<Value, string>>;
  /** Null while none is chosen. */
  readonly value: Value | null;
  onChoose(value: Value): void;
}

/** A choice of one among few, side by side. To choose what is chosen already counts too. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, name, options, hints, value, onChoose } = props;
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {(Object.keys(options) as Value[]).map((option) => (
        <label key={option} title={hints?.[option]}>
          <input type="radio" name={name} checked={value === option} onClick={() => onChoose(option)} />
          <span>{options[option]}</span>
        </label>
      ))}
    </div>
  );
}

interface CheckProps {
  readonly isOn: boolean;
  readonly class?: string;
  readonly title?: string;
  /** In place of what is beside it, for who does not see it. */
  readonly label?: string;
  readonly children: ComponentChildren;
  onChange(isOn: boolean): void;
}

/** A box to tick with its words. */
export function Check({ isOn, class: kind = 'pick', title, label, children, onChange }: CheckProps) {
  return (
    <label class={kind} title={title}>
      <input
        type="checkbox"
        checked={isOn}
        aria-label={label}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {children}
    </label>
  );
}

/** What is behind a chart, made only while it is open. */
export function Behind({ summary, children }: { summary: string; children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="behind" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
