import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { type Answer, type ConnectLink, call } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Row, RowList } from '../../components/rows.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

interface ConnectLinksProps {
  links: UseInfiniteQueryResult<{ pages: Answer<'listConnectLinks'>[] }>
}

/** Connect links of owners with their state; nothing without open links. */
export function ConnectLinks({ links }: ConnectLinksProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = links
  const open = data?.pages.flatMap((page) => page.data) ?? []
  if (open.length === 0) return null
  return (
    <section className="g-section" aria-labelledby="links">
      <details>
        <summary>
          <h2 id="links">{__('Sent to owners, not connected yet', 'galley')}</h2>{' '}
          <span className="g-weak">{`${open.length}${hasNextPage ? '+' : ''}`}</span>
        </summary>
        <RowList items={open}>
          {(link) => (
            <Row
              title={<span dir="ltr">{link.url}</span>}
              state={<State link={link} />}
              actions={<Withdraw link={link} />}
            >
              {link.problem && <p>{link.problem.message}</p>}
              <p className="g-weak">
                {__('Created:', 'galley')} <Time at={link.created_at} /> ·{' '}
                {link.status === 'expired' ? __('Ended:', 'galley') : __('Ends:', 'galley')}{' '}
                <Time at={link.expires_at} />
              </p>
            </Row>
          )}
        </RowList>
        {hasNextPage && (
          <p className="g-actions">
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {__('Show more', 'galley')}
            </Button>
          </p>
        )}
      </details>
    </section>
  )
}

function State({ link: { status, rejected_at, problem } }: { link: ConnectLink }) {
  if (status === 'expired') return <Badge tone="neutral">{__('Expired', 'galley')}</Badge>
  if (problem) return <Badge tone="bad">{__('Something is in the way', 'galley')}</Badge>
  if (rejected_at) return <Badge tone="warning">{__('The owner has declined', 'galley')}</Badge>
  return <Badge tone="info">{__('Waits for the owner', 'galley')}</Badge>
}

function Withdraw({ link: { id, url, status } }: { link: ConnectLink }) {
  const withdraw = useChange({
    changes: ['connect-links'],
    mutationFn: () => call('revokeConnectLink', { path: { uuid: id } }),
  })
  if (!useMay('sites.change') || status !== 'open') return null
  return (
    <ConfirmButton
      label={__('Withdraw', 'galley')}
      of={url}
      question={__('Nobody can connect with it any more.', 'galley')}
      disabled={withdraw.isPending}
      onConfirm={() => withdraw.mutate()}
    />
  )
}
