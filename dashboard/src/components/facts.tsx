import './facts.css'
import type { ReactNode } from 'react'

/** Terms and their values. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className="g-facts">{children}</dl>

export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)
