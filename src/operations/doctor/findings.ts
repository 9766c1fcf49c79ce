/** One thing that was looked at. */
export interface Finding {
  check: string
  level: 'ok' | 'warning' | 'problem'
  /** A sentence for whoever runs Galley. */
  message: string
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message })
export const warning = (check: string, message: string): Finding => ({ check, level: 'warning', message })
export const problem = (check: string, message: string): Finding => ({ check, level: 'problem', message })
