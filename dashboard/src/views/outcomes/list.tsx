import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { Receiver } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { Secret } from '../../components/secret.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { useSecrets } from '../../components/use-secrets.ts'
import { receiversQuery } from '../../data/outcomes.ts'
import { ReceiverForm } from './form.tsx'
import { Notifications } from './notifications.tsx'
import { ReceiverRow } from './row.tsx'

/** With what is shown of it only once; a mailbox has none. */
interface Made {
  name: string
  secret: string | null
}

/** Receivers: made, changed, tested, paused, removed; and what was told them. */
export default function Outcomes() {
  const query = useQuery(receiversQuery())
  const mayChange = useMay('receivers.change')
  const [making, setMaking] = useState(false)
  const [changing, setChanging] = useState<Receiver>()
  const { secrets, show, putAway } = useSecrets<Made>()

  function begin() {
    setChanging(undefined)
    setMaking(true)
  }

  const make = mayChange && (
    <button type="button" className="g-button primary" onClick={begin}>
      {__('Add a receiver', 'galley')}
    </button>
  )
  return (
    <>
      <Head title={__('Outcomes', 'galley')} actions={make}>
        {__('Who is notified of deliveries and sites, and what was sent.', 'galley')}
      </Head>
      {making && (
        <Panel title={__('Add a receiver', 'galley')}>
          <ReceiverForm
            onCancel={() => setMaking(false)}
            onDone={(receiver) => {
              setMaking(false)
              if (receiver) show(receiver)
            }}
          />
        </Panel>
      )}
      {changing && (
        <Panel key={changing.id} title={changing.name}>
          <ReceiverForm
            receiver={changing}
            onCancel={() => setChanging(undefined)}
            onDone={() => setChanging(undefined)}
          />
        </Panel>
      )}
      {secrets.map(
        (made) =>
          made.secret && (
            <SecretPanel key={made.secret} title={made.name} onStored={() => putAway(made)}>
              <Secret value={made.secret} label={__('Signing secret', 'galley')} labelled />
            </SecretPanel>
          ),
      )}
      <section className="g-section">
        <h2>{__('Receivers', 'galley')}</h2>
        <QueryResult query={query}>
          {({ data }) => (
            <Receivers
              receivers={data}
              onShow={show}
              onChange={(receiver) => {
                setMaking(false)
                setChanging(receiver)
              }}
            />
          )}
        </QueryResult>
      </section>
      <Notifications receivers={query.data?.data ?? []} />
    </>
  )
}

interface ReceiversProps {
  receivers: Receiver[]
  onChange(receiver: Receiver): void
  onShow(made: Made): void
}

function Receivers({ receivers, onChange, onShow }: ReceiversProps) {
  if (receivers.length === 0)
    return (
      <Empty title={__('Nobody is notified yet', 'galley')}>
        <p>
          {__(
            'A receiver is an address that is sent a POST, or a mailbox, when something happens.',
            'galley',
          )}
        </p>
      </Empty>
    )
  return (
    <ul className="g-rows" aria-label={__('Receivers', 'galley')}>
      {receivers.map((receiver) => (
        <li key={receiver.id} className="g-card g-row">
          <ReceiverRow receiver={receiver} onChange={() => onChange(receiver)} onShow={onShow} />
        </li>
      ))}
    </ul>
  )
}
