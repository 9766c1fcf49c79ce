import './facts.css'
import type { ReactNode } from 'react'

/** Names and what is said of each. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className="g-facts">{children}</dl>

export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)
