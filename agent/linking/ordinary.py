"""Ordinary English words, which typed in lower case are more likely words than parts of names."""

_ENDINGS = ("s", "es", "d", "ed", "ing", "ly")
_SHORTEST_STEM = 3

_WORDS = frozenset(
    """
    ability able abroad absent accept access accident accord account ache achieve acid across
    action active activity actual adapt add addition address admit adopt adult advance advantage
    adventure advice affair affect afford afraid afternoon age agency agent ago agree aid aim
    air aircraft airline airport album alive allow almost alone alphabet already although always
    amount ancient anger angle angry animal anniversary announce annual answer anybody anyone
    anything apart apartment app appear apple apply appoint approach area argue arise arm army
    arrange arrest arrive arrow art article artist aside ask asleep assist athlete atom attack
    attempt attend attract audience aunt author autumn available average avoid award aware away
    awful baby bad bag bake ball ban band bank bar bare bark base baseball basic basketball bath
    battle beach bear beat beautiful beauty became become bed bee beer began begin behave belief
    believe bell belt bend benefit best bet better bicycle big bike bill biography bird birth
    birthday bit bite bitter black blame blind block blood blow blue board boat body boil bomb
    bone border bore born borrow boss bottle bottom bought bowl box boy brain branch brand brave
    bread break breakfast breath breed brick bride bridge brief bright bring broad broadcast
    broke brother brought brown brush build building built burn burst bury bus bush business
    busy butter button buy cake calendar call calm came camera camp campaign cancel cancer
    candidate capital captain capture card care career careful carry cartoon case cast castle
    cat catch category caught cause celebrate celebrity cell center central centre century
    ceremony certain chain chair challenge champion championship chance change channel chapter
    character charge charity chart chase cheap check cheese chemical chemist chief child choice
    choose chose church cigarette cinema circle citizen claim class classic clean clear clever
    client climate climb clock close cloth clothes cloud club coach coal coast coat code coffee
    coin cold collect collection college colony color colour combine come comedy comfort comic
    command comment commit committee common community company compare compete competition
    complete compose composer computer concert condition conduct conference conflict connect
    conquer consider consist contain content contest continent continue contract control
    conversation cook cool cop copy corn corner correct cost costume cotton council count couple
    courage course court cousin cover cow crazy create creator credit crew crime criminal crisis
    critic cross crowd crown cry cultural culture cup cure currency current currently curve
    custom customer cut cycle dad daily damage dance danger dangerous dark data daughter dead
    deal dear death debate debt debut decade decide decision declare deep defeat defence defend
    defense degree delay deliver demand democracy democratic dentist depart department depend
    describe desert design designer desire desk destroy detail detective determine develop
    device dialect diary dictator die died diet differ difference different difficult dig dinner
    direction director dirty disaster discover discovery discuss disease dish display distance
    distant district divide division divorce doctor document dog doll dollar done door double
    doubt download draft dragon drama draw drawn dream dress drew drink drive driver drop drove
    drug drunk dry due duke duty dwarf eager ear early earn earth earthquake east eastern easy
    eat eaten economic economy edge edit edition editor educate education effect effort egg
    elect election electric element elephant else email embassy emperor empire employ empty end
    enemy energy engine engineer enjoy enormous enough enter entire environment episode equal
    equipment era escape especially establish estate eve even evening event eventually everybody
    everyone everything everywhere evidence evil exact example excellent except exchange exist
    expect expensive experience expert explain explore explorer export express extend extinct
    extra extreme eye face facility fact factory fail fair faith fall fallen false fame family
    famous fan fantasy far farm farmer fashion fast fat father favorite favourite fear feature
    fed federal feed feel fell felt female fence festival few fiction field fifth fifty fight
    figure file fill final finance fine finger finish fire firm fish fit five fix flag flat flew
    flight float flood floor flow flower flown fly follow food fool foot football force foreign
    forest forget forgive forgot forgotten form formal former fortune forward fought found
    foundation founder four fourth fox frame franchise free freedom freeze fresh friend front
    fruit fuel full fun function fund funeral funny further future gain gallery game gang gap
    garden gas gate gather gave gay gender gene general generation gentle ghost giant gift girl
    given glad glass global goal god gold golden golf gone got govern government governor grade
    graduate grammar grand grandfather grandmother grant graph grass grave gray great green grew
    grey ground group grow grown guard guess guest guide guilty guitar gun guy habit hair half
    hall hand handle hang happen happy harbour hard hate head headquarter headquarters heal
    health hear heard heart heat heaven heavy height held hell hello help hero hid hidden hide
    high highest hill hire historic historical history hit hobby hockey hold hole holiday holy
    honest honor honour hope horror horse hospital host hot hotel hour house huge human humor
    hundred hunger hunt hurry hurt husband ice idea ideal identify ill illegal illness image
    imagine immediate import important impossible improve inch incident include income increase
    indeed independence independent industry infant influence inform information inhabitant
    injury inner innocent insect inspire instead institute institution instrument insurance
    intelligence intend interest international internet interview introduce invade invent
    invention inventor invest invite iron island issue item jail jazz jealous jet jewel job join
    joke journal journalist journey joy judge juice jump jungle junior justice keep kept key
    kick kid kill killer kilometer kilometre kind king kingdom kiss kitchen knee knew knife
    knight knock knowledge known label lack lady laid lain lake lamp land landmark lane large
    largest late latest laugh launch law lawyer lay layer lead leader league learn least leather
    leave lecture led left leg legal legend length lent lesson letter level library licence
    license lie life lift light like limit line link lion lip liquid listen literature little
    load loan local locate location lock logo lonely long longest look lord lose loss lost lot
    loud love lover low luck lucky lunch lyric lyrics machine mad made magazine magic mail main
    maintain major majority mammal manage manager manner manufacture map march mark market
    marriage married marry mask mass massacre master match material mathematics matter maximum
    maybe mayor meal meaning meant meanwhile measure meat medal media medical medicine meet
    meeting member membership memory mental mention merchant message met metal method metre
    metro midnight mild military milk million mind mineral minimum minister ministry minor
    minute mirror miss mission mistake mix mixture mobile model modern mom moment monarch money
    monkey monster moon moral morning mostly mother motion motor mountain mouth move movement mr
    mrs mum murder muscle museum music musical musician mystery myth naked narrow nation
    national nationality native natural nature naval navy neck neighbor neighborhood neighbour
    neither nephew nervous net network never nevertheless new news newspaper nickname niece
    night nine nobody noise nominate nomination none normal north northern nose note nothing
    notice novel novelist nowadays nowhere nuclear nurse obey object observe obtain obvious
    occasion occupation occupy occur ocean odd offer office officer official often oil okay old
    older oldest olympic olympics opera operate operation opinion opponent oppose opposite
    option orange order ordinary organ organisation organization organize origin original orphan
    ought outer owe owner pack page paid pain paint painter painting pair palace pale panel
    paper parent park parliament participate particular partner party pass passage passenger
    past path patient pattern pause pay peace peak pen penalty pencil people percent perfect
    perform performance period permanent permit personal pet phase phone photo photograph
    photographer phrase physical physics piano pick picture piece pig pilot pink pipe pirate
    pitch plan plane planet plant plastic plate play player playoff pleasant pleasure plenty
    plot pocket poem poet poetry point poison pole police policy polite politic political
    politician politics poll pool poor pop pope popular population port portrait position
    positive possess possible post pot potato pound poverty power practice pray prefer pregnant
    prepare present president presidential press pressure pretty prevent previous price priest
    primary prime prince princess principle print prison prisoner private prize probable problem
    process produce producer product production profession professional professor profit program
    programme project promise promote proof proper property prophet protect protein proud prove
    provide province public publication publish publisher pull pupil purchase pure purple
    purpose push quality quantity quarter queen quest quick quiet quit quote rabbit race racial
    radio rail railway rain raise ran rang range rank rapid rapper rare rate ratio reach react
    read reader ready reality realize really rear reason rebel receive recent recipe recognize
    record recover red reduce refer reference reform refuse regard regime region regular reign
    reject relate relation relationship relative relax relevant religion religious remain
    remarkable remember remind remote remove rent repair repeat replace reply report reporter
    represent representative republic reputation request require rescue research reserve
    resident resign resist resort resource respect respond rest restaurant result retire return
    reveal revenge revenue review revolution revolutionary reward rhythm rice rich ridden ride
    rider right ring rise risk rival river road rob robot rock rode role roll romance romantic
    roof room root rope rose rough round route row royal rugby ruin rule ruler run rural rush
    sacred sad safe said sail sailor saint sale salt same sand sang sank sat satellite satisfy
    save saw scandal scene schedule school science scientific scientist score scream screen
    screenplay screenwriter script sculptor sea search season seat second secret secretary
    sector secure security seed seek seem seen segment select self sell senate senator send
    senior sense sent sentence separate sequel sequence series serious servant serve service
    session set settle seven several severe sex shadow shake shape share shark sharp sheep sheet
    shelf shell shelter shift shine ship shirt shock shoe shoot shop shore short shortest shot
    shoulder shout shown shut shy sibling sick side sight sign signal significant silence silent
    silver similar simple simply since sing singer single sink sister sit site situation six
    size skill skin skirt sky slave sleep slept slide slight slip slow small smallest smart
    smell smile smoke smooth snake snow soap soccer social society soft soil sold soldier solid
    solution solve somebody someone something sometimes somewhere son soon sort sought soul
    sound soundtrack soup source south southern space speak speaker special species speech speed
    spell spend spent spider spirit split spoke spoken sponsor sport spot sprang spread spring
    spy square stadium staff stage stand standard start state statement station statistic statue
    status stay steal steam steel step stick stole stone stood stop store storm story straight
    strange stranger stream street strength stress strike string strong struck structure
    struggle stuck student studio study stuff stupid style subject succeed success successful
    successor such sudden suffer sugar suggest suicide suit summer sun sung super superhero
    supply support suppose supreme sure surface surgeon surgery surprise surround survey survive
    survivor suspect swam swear sweet swim sword symbol system tail taken talent talk tall
    tallest target task taste taught tax tea teach teacher team tear technical technique
    technology teen teenager telephone television temperature temple ten tend tennis tent term
    terrible territory terror terrorist test text theater theatre theme theory therefore thick
    thief thin third thought thousand threat three threw throat throne throw thrown thus ticket
    tie tiger tight timezone tiny tire title toe together told tomb tomorrow tone tongue tonight
    took tool tooth top total touch tough tour tourist tower town toy track trade tradition
    traditional traffic tragedy trail train training transfer transform translate translation
    transport trap travel treasure treat treaty tree trial tribe trick trip triumph troop trophy
    trouble truck true truly trust truth try tune turn tutor tv twelve twenty twice twin two
    type typical ugly ultimate uncle underground understand understood union unique unit unite
    united universal universe university unknown unless unlike unusual upper upset urban useful
    user usual usually vacation valley valuable value vampire various vast vegetable vehicle
    version vessel vice victim victory video view villa village villain violence violent virtual
    virus visible vision visit visitor voice volcano volume volunteer vote voter voyage vs wage
    wait wake walk wall wander want war warm warn warrior wash waste watch water wave weak
    wealth wealthy weapon wear weather web website wed wedding week weekend weigh weight weird
    welcome well went west western wet whale whatever wheel whenever wherever whether white
    whoever whole wide wife wild wildlife win wind window wine wing winner winter wire wise wish
    witch witness woke wolf woman won wonder wonderful wood wooden wool word wore worker worn
    worry worst worth wound woven wrap wrestler wrong yard yeah yellow yesterday yet young youth
    zero zone zoo
    """.split()
)


def is_ordinary(word: str) -> bool:
    """Whether a normalised word, or what an ending was put to, is an ordinary English word."""
    return word in _WORDS or any(
        _is_stem(word.removesuffix(ending)) for ending in _ENDINGS if word.endswith(ending)
    )


def _is_stem(stem: str) -> bool:
    """Whether an ending may follow: as in `walk-ed`, `lov-ing`, `stud-ies` and `stopp-ed`."""
    if len(stem) < _SHORTEST_STEM:
        return False
    doubled = stem[-1] == stem[-2] and stem[:-1] in _WORDS
    changed = stem[-1] == "i" and f"{stem[:-1]}y" in _WORDS
    return stem in _WORDS or f"{stem}e" in _WORDS or doubled or changed
