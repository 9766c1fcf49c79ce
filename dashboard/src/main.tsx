import './styles/base.css'
import './styles/sign-in.css'
import { createRoot } from 'react-dom/client'
import { applyScheme } from './app/scheme.ts'
import { loadLanguage } from './i18n.ts'
import { Root } from './session/root.tsx'

applyScheme()
loadLanguage().finally(() => {
  createRoot(document.getElementById('page') as HTMLElement).render(<Root />)
})
