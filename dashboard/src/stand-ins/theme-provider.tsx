import type { ReactNode } from 'react'

/** In place of a theme that is computed from one colour, which tooltips alone have: theirs are in tokens.css. */
export const ThemeProvider = ({ children }: { children: ReactNode }) => (
  <div className="g-tooltip-theme">{children}</div>
)
