import { __ } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import type { Warning } from '../api/client.ts'
import { type State, StateBadge } from './status.tsx'

/** The severities in words, the worst first. */
export const severityWords = {
  loss: { label: () => __('Lost', 'galley'), tone: 'warning' },
  change: { label: () => __('Changed', 'galley'), tone: 'info' },
  note: { label: () => __('Note', 'galley'), tone: 'neutral' },
} satisfies Record<Warning['severity'], State>

const RANKS = Object.keys(severityWords)

/** The losses first. */
export const bySeverity = (warnings: readonly Warning[]): Warning[] =>
  [...warnings].sort((one, other) => RANKS.indexOf(one.severity) - RANKS.indexOf(other.severity))

/** Items of a list: each warning with its severity, the losses first. */
export const warningItems = (warnings: readonly Warning[]): ReactNode[] =>
  bySeverity(warnings).map(({ code, message, severity }) => (
    <li key={`${code} ${message}`}>
      <StateBadge of={severityWords[severity]} /> {message}
    </li>
  ))
