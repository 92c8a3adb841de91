import type { LanguageWords } from './language-words.ts'

export const pt: LanguageWords = {
  intents: {
    sign_up:
      'registar|registe se|criar conta|cadastre se|cadastrar|experimentar grátis|teste grátis|começar|começar grátis|comece agora|experimente grátis|criar uma conta|junte se|aderir|inscreva se|participar',
    log_in: 'entrar|iniciar sessão|login|acessar|fazer login|minha conta|área do cliente',
    buy: 'comprar|comprar agora|compre agora|encomendar|pedir|fazer pedido|peça já|comprar bilhetes|comprar ingressos',
    add_to_cart: 'adicionar ao carrinho|colocar no carrinho|adicionar à sacola|adicionar ao cesto',
    checkout: 'carrinho|finalizar compra|pagar|fechar pedido|ver carrinho|sacola',
    book: 'reservar|reserve|reservar agora|reservar mesa|marcar consulta|agendar|agendar consulta|agende|marcar hora|reservar uma mesa|ver disponibilidade|agendar horário|marcação online|reserve já',
    contact:
      'contacto|contato|contacte nos|fale connosco|fale conosco|enviar mensagem|enviar|fale comigo|escreva nos|entre em contato',
    call: 'ligar|ligue|ligue agora|telefonar',
    directions: 'como chegar|onde estamos|ver mapa|localização',
    download: 'baixar|descarregar|transferir|download|baixe o app|instalar|baixar agora',
    search: 'pesquisar|buscar|procurar|pesquisa',
    subscribe:
      'subscrever|assinar|newsletter|receber novidades|assinar newsletter|subscrever a newsletter|inscrever se na newsletter',
    docs: 'documentação|guias|manual|referência',
    pricing: 'preços|planos|tarifas|ver preços|ver planos|planos e preços|preçário',
    demo: 'demo|demonstração|pedir demo|solicitar demonstração|agendar demo|agendar demonstração|pedir demonstração|ver demo',
    donate: 'doar|doe agora|fazer uma doação|apoiar|apoie|fazer um donativo',
    post: 'novo tópico|fazer pergunta|fazer uma pergunta|publicar|nova discussão|criar tópico',
    reply: 'responder|comentar|deixar um comentário|publicar comentário|deixe um comentário',
    message:
      'contactar vendedor|contatar vendedor|falar com o vendedor|fazer uma oferta|contactar anfitrião|enviar mensagem ao vendedor',
    save: 'guardar|salvar|adicionar aos favoritos|favoritos|lista de desejos',
    share: 'partilhar|compartilhar|copiar link',
    quote:
      'pedir orçamento|solicitar orçamento|orçamento grátis|orçamento sem compromisso|pedir um orçamento',
    apply: 'candidatar|candidatar me|enviar candidatura|candidate se',
    play: 'ouvir|ouvir episódio',
    waitlist: 'lista de espera',
    notify: 'avise me',
    copy_code: 'copiar|copiar código',
    feedback: 'esta página foi útil|isto foi útil|dar opinião|editar esta página',
    create:
      'novo projeto|novo documento|carregar ficheiro|enviar arquivo|converter|jogar|jogar agora|gerar|calcular|criar',
    export: 'exportar|guardar como pdf',
    view_work: 'ver projeto|ver projetos|meus trabalhos|os meus trabalhos|portefólio|portfólio|currículo',
    read: 'ler mais|continuar a ler|ler artigo|continue lendo|saiba mais',
    sell: 'vender|anunciar|publicar anúncio|anuncie grátis|colocar anúncio|seja um vendedor|seja anfitrião|começar a vender',
  },
  audience: 'para|feito para|pensado para|criado para|ajuda',
  classes: {
    public_service: 'câmara municipal|junta de freguesia|prefeitura|munícipes|serviços municipais|freguesia',
    jobs: 'vagas|vagas de emprego|emprego|candidatos|tempo inteiro',
    event: 'festival|programação|oradores|bilhetes|ingressos|conferência|palestrantes',
    podcast: 'podcast|episódio|episódios|ouvir|temporada',
    nonprofit: 'voluntários|doações|associação|ong|instituição|paróquia|missas',
    app_store_page: 'app store|google play|para iphone|para android',
    api: 'api|desenvolvedores|endpoint|webhooks|sdk',
    saas: 'funcionalidades|recursos|integrações|por utilizador|por usuário|por mês|teste grátis|sem cartão|software|clientes|planos',
    shop: 'loja|carrinho|envio|envios|entrega|devoluções|novidades|promoções|saldos|portes grátis|frete grátis|em stock|produtos',
    content: 'artigos|notícias|revista|blog|receitas|arquivo|opinião|mais lidas|cultura|reportagens|crónicas',
    marketplace: 'anúncios|vendedores|classificados|segunda mão|todas as categorias|anfitriões|usados',
    docs: 'documentação|primeiros passos|instalação|configuração|referência|guias|exemplos',
    community: 'fórum|tópicos|membros|discussões|respostas|últimos tópicos|sem resposta',
    local_business:
      'horário|horários|horário de funcionamento|ementa|cardápio|menu|onde estamos|como chegar|a nossa equipa|nossa equipe|tratamentos|consultas|clínica|marcações|reservas|dentista|parteira|fisioterapia|veterinário|cabeleireiro|padaria|restaurante|hotel|pousada|marcenaria|canalizador|encanador|eletricista|advogados|escola de condução|florista|oficina|ginásio|academia',
    portfolio:
      'sobre mim|meus trabalhos|projetos selecionados|fotógrafa|fotógrafo|designer|ilustradora|exposições|currículo|arquitetos|arquitetura',
    app: 'conversor|calculadora|gerador|sem registo|sem cadastro|no navegador|jogar|editor|resultado|pontuação',
  },
}
