/** Colours of the system, or the chosen ones. */
export const schemes = ['auto', 'light', 'dark'] as const

export type Scheme = (typeof schemes)[number]

const STORAGE_KEY = 'galley.scheme'

const isScheme = (text: string | null): text is Scheme => schemes.some((scheme) => scheme === text)

export function currentScheme(): Scheme {
  const kept = localStorage.getItem(STORAGE_KEY)
  return isScheme(kept) ? kept : 'auto'
}

/** Stores the choice in this browser. */
export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(STORAGE_KEY, scheme)
  applyScheme()
}

/** Both schemes are in the style sheets; `data-scheme` selects one. */
export function applyScheme(): void {
  const chosen = currentScheme()
  const dark = chosen === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
  document.documentElement.dataset.scheme = dark ? 'dark' : 'light'
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyScheme)

// Another tab changed it.
addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEY) applyScheme()
})
