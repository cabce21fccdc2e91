import './readout.css';
/** A number under its name, in a list of such; its place does not move as it changes. */
export function Readout({ name, value }: { name: string; value: string }) {
  return (
    <div class="readout">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
