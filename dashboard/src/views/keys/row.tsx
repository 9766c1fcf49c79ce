import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { call, type Key } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useSession } from '../../app/session-context.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { roles, rolesBelow } from '../../components/roles.ts'
import { Row } from '../../components/rows.tsx'
import { SitesInWords } from '../../components/site-choice.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

interface KeyRowProps {
  of: Key
  onChange(): void
  onReplace(): void
}

/** A key, which ends at once where it is revoked. */
export function KeyRow({ of: key, onChange, onReplace }: KeyRowProps) {
  const { id, name, last_four, role, site_ids, labels, expires_at, last_used_at, revoked_at } = key
  const session = useSession()
  const queryClient = useQueryClient()
  const notice = useNotice()
  const revoke = useMutation({
    mutationFn: () => call('revokeKey', { path: { uuid: id } }),
    onSuccess: () => notice({ text: sprintf(__('%s is revoked.', 'galley'), name) }),
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
  })
  const own = session.key.id === id
  const mayChange = revoked_at === null && rolesBelow(session.role).includes(role)
  const [change, replace] = [__('Change', 'galley'), __('Replace', 'galley')]
  return (
    <Row
      title={name}
      state={<State of={key} own={own} />}
      actions={
        mayChange && (
          <>
            <button type="button" className="g-button" aria-label={`${change}: ${name}`} onClick={onChange}>
              {change}
            </button>
            {!isOver(expires_at) && (
              <button
                type="button"
                className="g-button"
                aria-label={`${replace}: ${name}`}
                onClick={onReplace}
              >
                {replace}
              </button>
            )}
            <ConfirmButton
              label={__('Revoke', 'galley')}
              of={name}
              question={
                own
                  ? __('You are signed in with it, and will be signed out.', 'galley')
                  : __('It ends at once, for good.', 'galley')
              }
              disabled={revoke.isPending}
              onConfirm={() => revoke.mutate()}
            />
          </>
        )
      }
    >
      <p>
        {roles[role].label()} · <SitesInWords sites={site_ids} labels={labels} />
      </p>
      <p className="g-weak">
        <code dir="ltr">…{last_four}</code>
        {' · '}
        {last_used_at ? (
          <>
            {__('Last used', 'galley')} <Time at={last_used_at} />
          </>
        ) : (
          __('Never used', 'galley')
        )}
        {expires_at && (
          <>
            {' · '}
            {__('Works until', 'galley')} <Time at={expires_at} exact />
          </>
        )}
      </p>
    </Row>
  )
}

function State({ of: { revoked_at, expires_at }, own }: { of: Key; own: boolean }) {
  if (revoked_at) return <Badge tone="bad">{__('Revoked', 'galley')}</Badge>
  if (isOver(expires_at)) return <Badge tone="warning">{__('Expired', 'galley')}</Badge>
  return own ? <Badge tone="info">{__('Yours', 'galley')}</Badge> : null
}

const isOver = (end: string | null): boolean => end !== null && Date.parse(end) <= Date.now()
