/** The page at `/docs`, from the addresses of what it loads. It says so where its program does not run. */
export const docsPage = (files: {
  style: string
  library: string
  program: string
}): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The API of Galley</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files.style}">
<main id="docs">
<p>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> says the same to programs.</p>
</main>
<script src="${files.library}"></script>
<script src="${files.program}"></script>
</html>
`

/**
 * What may run and be asked: this origin alone, and no script but from a file. Swagger UI draws its icons as `data:`.
 */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Runs in the browser. Requests go to where the page came from, under whichever name that was opened. */
export const docsProgram = `'use strict'
fetch('/openapi.json').then((answer) => answer.json()).then((description) => {
  window.SwaggerUIBundle({
    dom_id: '#docs',
    spec: { ...description, servers: [{ url: window.location.origin }] },
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    validatorUrl: null,
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    persistAuthorization: false,
    requestSnippetsEnabled: true,
  })
}, (error) => {
  document.getElementById('docs').textContent = 'The description could not be loaded: ' + error.message
})
`
