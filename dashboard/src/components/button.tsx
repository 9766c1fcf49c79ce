import { Link } from '@tanstack/react-router'
import type { ButtonHTMLAttributes, ReactNode } from 'react'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'className'> {
  /** The one that helps most. */
  primary?: boolean | undefined
}

/** A button that acts at once. */
export const Button = ({ primary = false, ...button }: ButtonProps) => (
  <button type="button" className={classFor(primary)} {...button} />
)

interface LinkButtonProps {
  primary?: boolean | undefined
  /** A path of the page. */
  to: string
  search?: object | undefined
  children: ReactNode
}

/** A link within the page that looks like a button. */
export const LinkButton = ({ primary = false, to, search, children }: LinkButtonProps) => (
  <Link className={classFor(primary)} to={to} search={search as never}>
    {children}
  </Link>
)

interface OutButtonProps {
  primary?: boolean | undefined
  href: string | undefined
  children: ReactNode
}

/** The same to an address outside of the page, in a new tab. */
export const OutButton = ({ primary = false, href, children }: OutButtonProps) => (
  <a className={classFor(primary)} href={href} target="_blank" rel="noreferrer">
    {children}
  </a>
)

const classFor = (primary: boolean): string => (primary ? 'g-button primary' : 'g-button')
