import { useEffect, useState } from 'preact/hooks';

interface CopyProps {
  readonly label: string;
  /** What to say where the browser does not let us. */
  readonly failed: string;
  readonly class: string;
  text(): string;
}

/** Copies a text, and says for a moment whether that worked. */
export function CopyButton({ label, failed, class: kind, text }: CopyProps) {
  const [words, setWords] = useState(label);
  useEffect(() => {
    const timer = setTimeout(() => setWords(label), 2000);
    return () => clearTimeout(timer);
  }, [words, label]);
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setWords('Copied'),
      () => setWords(failed),
    );
  return (
    <button type="button" class={kind} onClick={() => void copy()} aria-live="polite">
      {words}
    </button>
  );
}
