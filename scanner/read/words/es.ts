import type { LanguageWords } from './language-words.ts'

export const es: LanguageWords = {
  intents: {
    sign_up:
      'registrarse|regístrate|crear cuenta|crear una cuenta|prueba gratis|probar gratis|empezar|empezar gratis|comenzar|comenzar gratis|únete|unirse|hazte socio|darse de alta|date de alta|empieza gratis',
    log_in: 'iniciar sesión|entrar|acceder|inicia sesión|mi cuenta|acceso clientes',
    buy: 'comprar|comprar ahora|compra ahora|pedir|hacer pedido|pedir ahora|comprar entradas|pedir online',
    add_to_cart:
      'añadir al carrito|agregar al carrito|añadir a la cesta|agregar a la bolsa|añadir a la bolsa',
    checkout: 'carrito|ver carrito|pagar|finalizar compra|tramitar pedido|cesta|ir a la caja',
    book: 'reservar|reserva|reserva ahora|reservar mesa|reservar una mesa|pedir cita|reservar cita|cita previa|reserva tu mesa|ver disponibilidad|reserva online|reservar habitación',
    contact:
      'contacto|contáctanos|contactar|contacta con nosotros|escríbenos|escríbeme|enviar mensaje|enviar|hablemos|enviar consulta',
    call: 'llamar|llámanos|llamar ahora|llama ahora',
    directions: 'cómo llegar|dónde estamos|ver mapa|ubicación',
    download: 'descargar|descarga|descargar ahora|descargar la app|instalar|descarga la app',
    search: 'buscar|búsqueda|encontrar',
    subscribe:
      'suscribirse|suscríbete|suscribirme|boletín|newsletter|recibir novedades|suscribirse al boletín',
    docs: 'documentación|guías|manual|referencia',
    pricing: 'precios|tarifas|planes|ver precios|ver planes|planes y precios',
    demo: 'demo|solicitar demo|pedir demo|ver demo|solicita una demo|agendar demo|reservar demo|solicitar una demo',
    donate: 'donar|dona|haz una donación|colabora|hacer una donación|dona ahora',
    post: 'nuevo tema|hacer una pregunta|publicar|nueva pregunta|crear tema|abrir tema|nuevo hilo',
    reply: 'responder|comentar|publicar comentario|dejar un comentario|deja un comentario',
    message:
      'contactar al vendedor|contactar con el vendedor|contactar con el anfitrión|hacer una oferta|hacer oferta|enviar mensaje al vendedor',
    save: 'guardar|añadir a favoritos|favoritos|lista de deseos',
    share: 'compartir|copiar enlace',
    quote:
      'pedir presupuesto|solicitar presupuesto|presupuesto gratis|solicita presupuesto|presupuesto sin compromiso|te llamamos',
    apply:
      'postular|solicitar empleo|enviar candidatura|inscribirme en la oferta|inscribirme en esta oferta|inscribirme|aplicar',
    play: 'escuchar|escuchar episodio|escuchar el episodio',
    waitlist: 'lista de espera|unirme a la lista de espera',
    notify: 'avísame|avisarme',
    copy_code: 'copiar|copiar código',
    feedback: 'te ha resultado útil|fue útil esta página|dar opinión|editar esta página',
    create: 'nuevo proyecto|nuevo documento|subir archivo|convertir|jugar|jugar ahora|generar|calcular|crear',
    export: 'exportar|guardar como pdf',
    view_work: 'ver proyecto|ver proyectos|mis trabajos|ver mi trabajo|portafolio|trabajos|mi currículum',
    read: 'leer más|seguir leyendo|leer artículo|continuar leyendo',
    sell: 'vender|vende|publicar anuncio|poner anuncio|hazte vendedor|vender algo|sube tu producto|hazte anfitrión|empieza a vender',
  },
  audience: 'para|pensado para|hecho para|diseñado para|ayuda a',
  classes: {
    public_service:
      'biblioteca municipal|diputación|ayuntamiento|sede electrónica|trámites|vecinos|municipio|concejalías|pleno municipal|servicios municipales',
    jobs: 'ofertas de trabajo|ofertas de empleo|empleo|vacantes|candidatos|jornada completa|tipo de contrato|empresas que contratan',
    event: 'festival|cartel|ponentes|congreso|entradas|programa|escenarios',
    podcast: 'podcast|episodio|episodios|escuchar|temporada',
    nonprofit: 'voluntariado|voluntarios|donaciones|asociación|ong|fundación|hazte socio|parroquia|misas',
    app_store_page: 'app store|google play|para iphone|para android|aplicación móvil',
    api: 'api|desarrolladores|endpoint|clave de api|webhooks|sdk',
    saas: 'funciones|funcionalidades|integraciones|por usuario|al mes|prueba gratis|sin tarjeta|software|clientes|automatiza|planes',
    shop: 'tienda|carrito|envío|envíos|devoluciones|novedades|ofertas|rebajas|envío gratis|en stock|cesta|productos|tarjeta regalo',
    content:
      'artículos|noticias|revista|blog|recetas|archivo|opinión|lo más leído|cultura|secciones|reportajes',
    marketplace:
      'anuncios|vendedores|segunda mano|todas las categorías|anfitriones|compradores|publica tu anuncio',
    docs: 'documentación|primeros pasos|instalación|configuración|referencia|guías|ejemplos',
    community: 'foro|foros|temas|miembros|debates|respuestas|últimos temas|sin responder',
    local_business:
      'horario|horarios|horario de apertura|nuestra carta|la carta|menú|dónde estamos|cómo llegar|nuestro equipo|tratamientos|citas|clínica|consulta|reservas|dentista|matrona|fisioterapia|veterinario|peluquería|panadería|restaurante|hotel|hostal|casa rural|carpintería|fontanero|electricista|abogados|gestoría|autoescuela|floristería|taller|gimnasio',
    portfolio:
      'sobre mí|mis trabajos|proyectos destacados|diseñadora|diseñador|fotógrafa|fotógrafo|ilustradora|exposiciones|currículum|arquitectos|estudio de arquitectura',
    app: 'conversor|calculadora|generador|sin registro|en tu navegador|jugar|editor|resultado|puntuación',
  },
}
