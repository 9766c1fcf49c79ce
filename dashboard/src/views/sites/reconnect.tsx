import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Site } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { Button } from '../../components/button.tsx'
import { type ConnectWay, ConnectWays, PasswordForm, WaitForOwner } from '../../components/connect-link.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'

interface ReconnectProps {
  site: Site
  onDone(): void
}

/** Connects a site again: by WordPress's approval page, or by a new application password, which may also be for a new address. */
export function Reconnect({ site, onDone }: ReconnectProps) {
  const [way, setWay] = useState<ConnectWay>('link')
  return (
    <Panel title={__('Connect the site again', 'galley')}>
      <ConnectWays way={way} onChange={setWay} />
      {way === 'link' ? <ByLink site={site} onDone={onDone} /> : <ByPassword site={site} onDone={onDone} />}
    </Panel>
  )
}

function ByLink({ site: { id, url }, onDone }: ReconnectProps) {
  const onConnected = useConnected(onDone)
  const make = useMutation({
    mutationFn: async () => (await call('createConnectLink', { body: { id, url } })).data,
  })
  if (make.data === undefined)
    return (
      <Form submit={__('Create the link', 'galley')} mutation={make} onCancel={onDone}>
        <p className="g-weak">
          {__('WordPress creates a new password for Galley, and nobody has to copy it.', 'galley')}
        </p>
      </Form>
    )
  return (
    <>
      <WaitForOwner
        id={make.data.id}
        address={make.data.link}
        onConnected={onConnected}
        onAnew={() => make.reset()}
      />
      <p>
        <Button onClick={onDone}>{__('Close', 'galley')}</Button>
      </p>
    </>
  )
}

/** After a successful reconnect. */
function useConnected(onDone: () => void): () => void {
  const queryClient = useQueryClient()
  const notice = useNotice()
  return () => {
    notice({ text: __('The site is connected again, and what was waiting is sent.', 'galley') })
    void queryClient.invalidateQueries({ queryKey: ['sites'] })
    onDone()
  }
}

function ByPassword({ site, onDone }: ReconnectProps) {
  const queryClient = useQueryClient()
  const onConnected = useConnected(onDone)
  return (
    <PasswordForm
      before={site}
      connect={({ url, ...user }) =>
        call('updateSite', {
          path: { uuid: site.id },
          body: { ...(url !== site.url && { url }), ...user },
        }).then(onConnected)
      }
      onError={() => void queryClient.invalidateQueries({ queryKey: ['sites'] })}
      onCancel={onDone}
    />
  )
}
