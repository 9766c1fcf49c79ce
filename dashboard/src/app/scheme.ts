/** Colours as the system has them, or as they were chosen here. */
export const schemes = ['auto', 'light', 'dark'] as const

export type Scheme = (typeof schemes)[number]

const KEPT_AS = 'galley.scheme'

const isScheme = (text: string | null): text is Scheme => schemes.some((scheme) => scheme === text)

export function currentScheme(): Scheme {
  const kept = localStorage.getItem(KEPT_AS)
  return isScheme(kept) ? kept : 'auto'
}

/** Remembers the choice in this browser. */
export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(KEPT_AS, scheme)
  applyScheme()
}

/** Both schemes are in the style sheets; `data-scheme` says which of them counts. */
export function applyScheme(): void {
  const chosen = currentScheme()
  const dark = chosen === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
  document.documentElement.dataset.scheme = dark ? 'dark' : 'light'
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyScheme)

// It was chosen in another tab.
addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS) applyScheme()
})
