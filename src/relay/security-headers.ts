const directives = {
  'default-src': "'none'",
  // The tensor library compiles WebAssembly; nothing evaluates text as code.
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': "'self'",
  // Covers the signalling WebSocket too: it is on the page's own host and port.
  'connect-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** What pages may load and talk to: this origin and nothing else. For a meta tag or a header. */
export const contentSecurityPolicy = Object.entries(directives)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');

/** Sent with every answer, so that threads, which do not inherit a page's meta tag, are held to the same policy. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': `${contentSecurityPolicy}; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
