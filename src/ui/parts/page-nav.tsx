import './page-nav.css';

const pages = [
  ['Train', '.', 'One run, with whoever joins'],
  ['Lab', '#lab', 'Many runs, one after another, and a report'],
  ['Simulate', '#simulate', 'Strategies compared in virtual time'],
] as const;

/** The product's name and its pages. While something runs here the others open in a tab of their own, so that it goes on. */
export function PageNav({ current, isBusy }: { current: (typeof pages)[number][0]; isBusy: boolean }) {
  return (
    <div class="brand-line">
      <p class="brand">Manyhands</p>
      <nav class="pages" aria-label="Pages">
        {pages.map(([name, href, title]) => (
          <a
            key={name}
            href={href}
            title={isBusy && name !== current ? `${title}; opens in another tab, this one goes on` : title}
            aria-current={name === current ? 'page' : undefined}
            {...(isBusy && name !== current ? { target: '_blank', rel: 'noopener' } : {})}
          >
            {name}
          </a>
        ))}
      </nav>
    </div>
  );
}
