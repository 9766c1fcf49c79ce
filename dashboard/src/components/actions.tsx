import { useNavigate } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { Icon, moreVertical } from '@wordpress/icons'
import { Button, LinkButton, OutButton } from './button.tsx'
import { Menu } from './popover.tsx'

/** Something that can be done with one thing: `run` at once, or a link. */
export interface Action {
  label: string
  /** An address outside of the page. It opens in a new tab. */
  href?: string
  /** An address of the page. */
  to?: string
  search?: Record<string, string>
  disabled?: boolean
  run?(): void
}

/** An action as a button, or as a link that looks like one. */
export function ActionButton({ action, primary = false }: { action: Action; primary?: boolean }) {
  const { label, href, to, search, disabled, run } = action
  if (href !== undefined)
    return (
      <OutButton primary={primary} href={href}>
        {label}
      </OutButton>
    )
  if (to !== undefined)
    return (
      <LinkButton primary={primary} to={to} search={search}>
        {label}
      </LinkButton>
    )
  return (
    <Button primary={primary} disabled={disabled} onClick={run}>
      {label}
    </Button>
  )
}

/** A button with a menu of actions; nothing where there are none. */
export function ActionMenu({ actions }: { actions: readonly Action[] }) {
  const navigate = useNavigate()
  if (actions.length === 0) return null
  return (
    <Menu
      className="g-icon-button"
      label={__('Actions', 'galley')}
      button={<Icon icon={moreVertical} />}
      items={actions.map(({ label, href, to, search, disabled, run }) => ({
        label,
        href,
        disabled,
        run: () => (to === undefined ? run?.() : void navigate({ to, search } as never)),
      }))}
    />
  )
}
