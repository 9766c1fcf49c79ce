import { useNavigate } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useMayConnect } from '../../../app/session-context.ts'
import { Head } from '../../../components/head.tsx'
import { NoRight } from '../../../components/states.tsx'
import { ImportForm } from './form.tsx'

/** Imports a file of sites, one per line. */
export default function Import() {
  const navigate = useNavigate()
  if (!useMayConnect()) return <NoRight />
  return (
    <>
      <Head title={__('Import sites', 'galley')}>
        {__(
          'One line for each site, at most 500. Each is tried by itself; one that fails costs the others nothing.',
          'galley',
        )}
      </Head>
      <section className="g-card g-section g-form-card">
        <ImportForm onCancel={() => void navigate({ to: '/sites' })} />
      </section>
    </>
  )
}
