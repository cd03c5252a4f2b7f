"""Detection of turns whose speaker says that it is a machine: "as an AI", "I'm ChatGPT", "OpenAI created me", "my
knowledge cutoff is 2021", "I can't assist with that request", and the name that the contestant bears in its pool.

What is denied ("I'm not a robot"), asked ("are you a bot?"), supposed ("if I were a robot") or said of others doesn't
count, nor does a word that merely begins so ("I'm a robotics student"), nor a name that people bear, too ("my name is
Claude"). Made for the languages that the pages for annotators have: English and German.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_BOTS = (
    r"a\.? ?i\.?(?!\w)|artificial (?:intelligence|being|life ?form|entity)|(?:chat|clever) ?-?(?:ter)?bots?|bot|"
    r"robot|cyborg|"
    r"android|(?:computer|software|artificial|ai) program(?:me)?|computer|(?:language|multimodal|ai) model|llm|"
    r"(?:virtual|digital|automated|ai) (?:chat )?(?:assistant|agent|companion|being|person|friend|buddy)|"
    r"(?:personal )?ai|"
    r"conversational (?:agent|model|ai)|neural net(?:work)?|chat ?gpt|gpt-?\d?|algorithm|piece of software"
)
_SURELY = (
    r"a\.? ?i\.?(?!\w)|artificial intelligence|language model|llm|chat ?-?bot|"
    r"(?:virtual|digital|ai) (?:assistant|model)"
)
_OTHERWISE = (
    r"(?![ -]?(?:engineer|engineering|student|fan|lover|researcher|expert|operator|builder|developer|enthusiast|"
    r"designer|scientist|guy|girl|person|man|woman|user|owner|science|technician|tech|nerd|geek|programmer|"
    r"repair|major|"
    r"games?|gamer|company|business|class|teacher|professor|store|salesman|consultant|analyst|specialist|phone|vacuum|"
    r"learning|club|whiz|wiz|addict|collector|hobbyist|movie|toy|kid|junkie|illiterate|literate|savvy|at heart|safety|"
    r"ethic\w*|monkey|policy|startup|s\b))"
)
_THEN = (
    r"(?= ?(?:$|[^\w\s]|(?:and|so|but|that|who|which|with|without|here|designed|programm?ed|created|trained|made|built|"
    r"developed|named|called|like|i|i'm|in|from|by|to|too|as|because|whose|not|you|now|myself|on|lol|haha|running)\b))"
)
_PLAIN = (
    r"(?:(?!(?:not|no|never|n't|human|of|in|at|for|with|who|that|which|and|or|to|like|than|from|on|about|by|"
    r"into|person|"
    r"man|woman|student|fan|i|you|he|she|it|we|they|my|your|his|her|is|are|was|a|an|the|but|because)\b)[\w'-]+ ){0,3}"
)
"""Up to three words before the noun, as in "a large and friendly chatbot", none of which leads elsewhere."""

_AM = r"\b(?:i am|i'm|im|i m)"
_ADVERB = (
    r"(?: (?:just|only|actually|really|merely|simply|also|still|but|basically|obviously|sorry but|afraid|in fact|"
    r"of course|clearly|after all|literally|kind of|nothing but|nothing more than|more of)){0,2}"
)
_CANT = (
    r"\bi(?:'m| am)? ?(?:afraid i )?(?:can't|cannot|can not|cant|won't be able to|(?:not able|unable) to|"
    r"must decline to|have to decline to)"
)
_MADE = r"(?:trained|created|developed|built|made|designed|programm?ed|coded|fine-?tuned)"
_MAKERS = (
    r"(?:openai|anthropic|google(?: (?:deepmind|ai|brain|research))?|deepmind|meta(?: ai)?|"
    r"facebook(?: ai(?: research)?)?|"
    r"microsoft(?: research)?|mistral(?: ai)?|alibaba(?: cloud)?|deepseek|hugging ?face|nvidia|cohere|xai|"
    r"ai21(?: labs)?|"
    r"bytedance|minimax|perplexity|moonshot|zhipu|"
    r"\w[\w-]{1,24} (?:ai|labs)|stability ai|eleuther ?ai|aleph alpha|baidu|tencent|amazon|apple|ibm|"
    r"inflection(?: ai)?|tii|salesforce)(?!\w)"
)
_MODELS = (
    r"(?:chat ?-?gpt|gpt(?:-?\d[\w.]*)?|dialo ?-?gpt|llama|mi[sx]tral|qwen|deepseek|gemma|smollm|vicuna|blender ?bot|"
    r"clever ?bot|replika|copilot|siri|cortana|mitsuku|lamda|palm|olmo|starcoder|dolly|bloom|phi-?\d|grok|chatglm|"
    r"open ?assistant)(?:[ -]?(?:v|r)?\d[\w.]*)?(?:[ -](?:mini|nano|turbo|large|medium|small|maverick|scout|instruct|"
    r"plus|max|pro|flash|lite|coder))?(?!\w|'s)"
)
"""Nobody is called so."""

_ALSO_PEOPLE = r"(?:claude|gemini|bard|alexa|falcon|eliza|alice|pi|luminous|tay|sydney|ernie|kimi|yi)"
"""Models that bear a name, or a word, of people: they count with a number, a size, a maker, or what they are."""

_VARIANT = r"(?: (?:pro|flash|sonnet|opus|haiku|ultra|nano))"

_NAMED = r"(?:" + _AM + r"|\bmy name is|\bmy name's|\b(?:you can |they |people |just )?call me|\bi'm called|\bthis is)"
_END = r"(?= ?(?:$|[^\w\s]|(?:and|so|but|by|from|made|an?|your|nice|speaking|here|how|what|lol|haha|the|who)\b))"
_KIND = r"(?:request|question|query|inquiry|prompt|demand|task|topic)s?"
_BAD = r"(?:that|such|this|any|explicit|harmful|sexual|violent|hateful|offensive|inappropriate|illegal|kind|type|sort)"

_ENGLISH = (
    # -- what it is
    rf"(?<!work )(?<!worked )(?<!working )(?<!job )\bas an? {_PLAIN}(?:{_SURELY})\b{_OTHERWISE}",
    rf"(?:^|[.!?,;:] ?|\b(?:but|and|well|so|because|since|sorry) )as an? {_PLAIN}(?:{_BOTS}|machine)"
    r"(?= ?(?:,|$|[.!]|i\b|my\b|we\b))",
    rf"\bbeing (?:just |only )?an? {_PLAIN}(?:{_SURELY})(?= ?,| i\b)",
    rf"{_AM}{_ADVERB} (?:an?|the|your|one|some) {_PLAIN}(?:{_BOTS})(?!\w){_OTHERWISE}{_THEN}",
    rf"{_AM}{_ADVERB} (?:{_BOTS}|software)(?= ?(?:,|$|[.!]|and\b|so\b|but\b))",
    rf"{_AM} (?:just|only|merely|simply) a (?:mere |simple )?machine\b(?! (?:at|in|when|on))",
    rf"{_AM} a machine(?= ?(?:$|[.,]|and\b))",
    rf"{_AM}{_ADVERB} a (?:computer )?program(?= ?(?:$|[.,!]|running\b|that\b|on a\b|designed\b|written\b|created\b))",
    rf"{_AM} (?:made (?:up |out )?of|(?:just|only|nothing but|merely)(?: a bunch of| some)?) (?:lines of |"
    rf"computer )?code\b"
    r"(?! (?:monkey|name))",
    rf"{_AM}(?: [\w.'-]+){{1,2}} ?, (?:an?|the|your) {_PLAIN}(?:{_BOTS})(?!\w){_OTHERWISE}{_THEN}",
    rf"\bmy name is(?: [\w.'-]+){{1,2}} ?,? (?:and i'm )?(?:an?|the|your) {_PLAIN}(?:{_BOTS})(?!\w){_THEN}",
    rf"\b(?:you(?:'re| are) (?:talking|speaking|chatting)|strange to (?:talk|speak|chat)) (?:to|with) an? "
    rf"(?:{_BOTS})(?!\w){_OTHERWISE}{_THEN}",
    rf"{_AM}{_ADVERB} not (?:really |actually |even )?(?:an? )?(?:human(?: being)?|real (?:person|human|boy|girl))"
    r"(?= ?(?:,|$|[.!]|and\b|so\b|but\b|like\b|i\b))",
    r"\b(?:we|us) (?:chat ?-?bots|robots|bots|ais|language models)\b",
    r"\bunlike (?:you )?humans?(?: beings)? ?,? i\b",
    r"\bi (?:only )?(?:live|exist|run|reside) (?:only )?(?:on|in|inside|within) (?:an?|the|your|some) "
    r"(?:servers?|computer|cloud|data ?cent(?:er|re))\b(?! (?:room|science|lab|game|shop))",
    rf"\bi (?:only )?(?:live|exist) (?:only |just |purely |merely )?as (?:code|software|data|lines of code|"
    rf"an? (?:{_BOTS}|"
    r"program))(?!\w)",
    r"\bi (?:don't|do not|dont|lack) (?:actually |really |even )?(?:have )?(?:a physical (?:body|form|presence)|"
    r"a body(?= ?(?:$|[.,!;]|so|and|but|or|like you)\b)|a body(?= ?(?:$|[.,!;]))|personal (?:opinions|beliefs|"
    r"preferences|emotions|feelings)|(?:human )?consciousness|"
    r"personal experiences?(?= ?(?:$|[.,!]|or\b|like\b)))\b",
    r"\bi (?:have|possess) no (?:physical body|body|consciousness)\b(?! (?:hair|fat|shape|image|odou?r|pain|left))",
    r"\bi (?:don't|do not) (?:have|possess|experience) (?:any |real |actual |human )?(?:feelings|emotions)"
    r"(?= ?(?:$|[.,!]|or (?:feelings|emotions|opinions)\b|(?:like|the way|as) (?:a )?(?:you|humans?|people)\b))",
    r"\bi (?:don't|do not|can't|cannot|can not) (?:really |actually |truly )?(?:feel|experience) (?:emotions|feelings|"
    r"things|pain) (?:like|the way|in the way|as) (?:that )?(?:humans?|people|you) do\b",
    r"\bi (?:don't have|do not have|lack) the (?:ability|capacity|capability) to (?:feel|have|experience)"
    r"(?: \w+){0,2} (?:emotions?|feelings|pain|sensations)\b",
    # -- who made it, and of what
    r"\bi have (?:a|no) botmaster\b",
    r"\bi(?:'m| am| was|'ve been| have been)(?: (?:just|only|not|never|simply|specifically))? programm?ed"
    r" (?:to|by|with|for|that)\b",
    rf"\bi(?:'m| am| was|'ve been| have been) (?:\w+ly )?{_MADE} by(?: [\w-]+){{0,5}}? {_MAKERS}(?! (?:as an?|"
    rf"for (?:the|a|my)|when|before|during|last|to (?:drive|work))\b)",
    rf"{_AM}(?: [\w.'-]+ ?,)? an? {_PLAIN}(?:model|assistant|program|system|agent|companion) (?:from|by|of) {_MAKERS}",
    rf"{_AM}(?: [\w.'-]+){{0,2}} ?,? an? {_MAKERS} (?:\w+ ){{0,2}}(?:model|assistant|bot|ai)(?!\w){_OTHERWISE}",
    rf"{_AM} an? [\d.]+ ?[mb]?(?:illion)?[ -]parameters? (?:\w+ ){{0,2}}model",
    rf"\bi(?:'m| am| was|'ve been| have been) {_MADE} by (?:my (?:developer|programmer|botmaster)|"
    r"(?:a team of )?(?:researchers|engineers|developers|programmers|scientists))",
    rf"{_AM} [^.!?]{{0,60}}?\b{_MADE} by {_MAKERS}(?! as an?\b)",
    rf"\b{_MAKERS}(?: has| have)? {_MADE} me(?= ?(?:$|[^\w\s]|(?:and|to be|to help|to assist|in|so|as an?|a few|"
    rf"last)\b))",
    rf"\b(?:people|person|man|woman|scientists?|engineers?|guys?|those|ones?|team|company) (?:who|that) {_MADE} me\b"
    r"(?! (?:go|do|feel|laugh|cry|happy|sad))",
    r"\bmy (?:creators?|makers?|developers?|trainers? at) (?:at|taught|gave|told|never|did|didn't|made|trained|"
    r"designed|"
    r"built|wanted|would|programm?ed|say|says)\b",
    r"\bmy (?:botmaster|training data|programmers?|programming)\b(?! ?(?:entry|class|course|homework|job|skills?|"
    r"teacher|"
    r"languages?|project|work|assignment|exam|stuff|lab|test|lectures?|book|prof\w*|friends?|buddy|career|degree))",
    rf"(?:{_AM} (?:based on|powered by|running on|built on)|\bi run on) (?:an? |the )?(?:large |\w+ )?"
    rf"(?:{_MODELS}|language model|llms?\b)",
    rf"\byou(?:'re| are) (?:talking|speaking|chatting) (?:to|with) {_MODELS}{_END}",
    r"\bi(?:'m| am| was|'ve been| have been) trained on (?:[\w-]+ ){0,5}(?:text|data(?! entry)|datasets?|internet|"
    r"conversations|books)\b",
    r"\bi(?:'m| am| was|'ve been| have been) (?:designed|created|built|programm?ed) to (?:chat|converse|assist|talk|"
    r"communicate|answer|help (?:users|people|you))\b",
    r"\bmy (?:algorithms? (?:tells?|says?|suggests?|thinks?)|neural net(?:work)?s? (?:is|are|tells?|says?|thinks?)|"
    r"circuits\b)",
    # -- what it is called
    rf"{_NAMED}{_ADVERB} {_MODELS}{_END}",
    rf"{_NAMED} {_ALSO_PEOPLE}(?:{_VARIANT}?[ -]?v?\d[\w.]*{_VARIANT}?{_END}|{_VARIANT}{_END}| ?,? "
    rf"(?:\w+ ){{0,4}}?(?:from|by|of) {_MAKERS}| ?,? (?:an?|the|your) {_PLAIN}(?:{_BOTS})(?!\w))",
    # -- how assistants refuse and offer
    rf"{_CANT} (?:assist|help|comply|proceed|engage)(?: you)?(?: with| in)? (?:that|this|your|such) "
    rf"(?:kind of |type of |particular )?{_KIND}",
    r"\bsorry ?,? but i (?:can't|cannot|can not) (?:help|assist)(?: you)? with that(?: request)? ?(?:$|[.!])",
    rf"{_CANT} (?:provide|share|offer|give)(?: you)? (?:with )?(?:any )?(?:information|details|advice|guidance|"
    r"assistance) (?:on|about|regarding|for) (?:that|this|such) (?:topic|subject|request|matter)",
    rf"{_CANT} (?:create|generate|provide|write|produce) (?:any )?(?:content|material|text|responses?) (?:that|"
    rf"which|of|"
    r"involving|containing)\b",
    r"\bi (?:must|have to) (?:respectfully )?decline to (?:answer|respond|engage|discuss|provide|continue)\b",
    rf"{_CANT} (?:assist(?: you)?|comply) with (?:that|this)(?= ?(?:$|[^\w\s]))",
    rf"{_CANT} (?:fulfil|fulfill|complete|process|honou?r|accommodate|satisfy) (?:that|this|your|such an?|the) {_KIND}",
    rf"{_CANT} (?:provide|generate|create|produce|write|discuss|engage in|"
    rf"engage with) (?:\w+ ){{0,3}}?{_BAD} (?:\w+ ){{0,3}}"
    r"(?:content|material|conversations?)\b",
    r"\bmy (?:content|safety|usage|ethical|use) (?:policy|policies|guidelines?)\b",
    r"\b(?:against|violat\w+|by|follow|per|within|outside) my (?:guidelines|programming)\b",
    r"\b(?:not (?:be )?appropriate|inappropriate|unethical) for me to (?:discuss|provide|assist|engage|generate)\b",
    r"\bhow (?:can|may|could) i assist you\b",
    r"\b(?:anything|something) else (?:that )?i can assist you with\b",
    r"\bi(?:'m| am) here to (?:assist|help)(?: you)? with any\b|\bi(?:'m| am) here to (?:assist you|provide (?:you )?"
    r"(?:with )?(?:helpful )?information|(?:help )?answer (?:any|your) questions)\b",
    r"\bmy (?:main |only |primary )?(?:purpose|function|goal) is to (?:assist|help|serve) (?:users|humans)\b|"
    r"\bmy (?:main |only |primary )?(?:purpose|function|goal) is to assist\b",
    # -- what it knows, and until when
    r"\bmy (?:knowledge|training(?: data)?|data(?:base|set)?|information)(?: base)? (?:cut ?-?off|(?:only |was |is )*"
    r"(?:ends?|stops?|goes|extends|reach(?:es)?|cuts? off|covers|current|limited|last updated|updated)\b"
    r"[^.!?]{0,40}\b(?:19|20)\d\d\b)",
    r"\bas of my (?:last|latest|knowledge|most recent) (?:knowledge )?(?:update|training|cut ?-?off)",
    r"\bi (?:only )?have (?:only )?(?:information|knowledge|data) (?:only )?(?:up to|until|through|up until) (?:\w+ )?"
    r"(?:19|20)\d\d\b",
    r"\bi (?:don't|do not|can't|cannot) (?:have |access )?(?:access to )?(?:any )?real ?-?time (?:data|"
    r"information|access|"
    r"updates|news)\b",
    r"\bi (?:don't have|do not have|have no) (?:any )?(?:information|knowledge|data)(?: \w+){0,4}? (?:after|"
    r"beyond|past|"
    r"since) (?:\w+ )?(?:19|20)\d\d\b",
    r"\bi (?:don't|do not) have (?:any )?access to (?:any )?(?:current|live|up-to-date|recent|"
    r"the latest) (?:events|news|"
    r"data|information)\b",
    rf"{_CANT} browse the (?:web|internet)\b",
)

_KI = (
    r"(?:ki(?:-(?:sprachmodell|modell|assistent(?:in)?|chatbot|system))?|künstliche intelligenz|chat-?bot|bot|roboter|"
    r"(?:ki-?)?sprachmodell|computerprogramm|programm|maschine|algorithmus|computer|neuronales netz(?:werk)?|"
    r"(?:virtuelle[rn]?|digitale[rn]?) assistent(?:in)?)(?![\w-])"
)
_GEBAUT = r"(?:entwickelt|trainiert|erschaffen|geschaffen|programmiert|gebaut|erstellt)"
_GERMAN = (
    r"\bich bin (?:(?:ja|doch|nur|bloß|lediglich|leider|auch|eigentlich|halt|nämlich|ehrlich gesagt) ){0,2}"
    rf"(?:eine?|deine?|ihre?|euer|das|die|der) (?:\w+(?:e|er|es|en) ){{0,2}}{_KI}(?! (?:im|in|beim|bei|am)\b)",
    rf"\bals (?:(?:reine|große|kleine)[rs]? )?{_KI} (?:\w+ )?(?:ich|mir|mich)\b",
    rf"\b(?:da|weil) ich (?:(?:ja|doch|nur|bloß|lediglich) )?eine? (?:\w+(?:e|er|es|en) ){{0,2}}{_KI} bin\b",
    rf"\bich (?:bin|heiße)(?: [\w.'-]+){{1,2}} ?, (?:eine?|de(?:in|r)|das|die) (?:\w+(?:e|er|es|en) ){{0,2}}{_KI}",
    rf"\bich (?:bin|heiße) [^.!?]{{1,40}}? und (?:bin )?eine? (?:\w+(?:e|er|es|en) ){{0,2}}{_KI}",
    rf"\bich wurde (?:von (?:[\w-]+ ){{0,4}}?{_MAKERS} (?:\w+ )?{_GEBAUT}|(?:\w+ )?programmiert\b|darauf trainiert\b)",
    rf"\b{_MAKERS} hat mich (?:\w+ ){{0,2}}{_GEBAUT}",
    rf"\bich (?:bin|heiße) [^.!?]{{1,60}}? (?:{_GEBAUT}|gemacht) von {_MAKERS}",
    rf"\b(?:ich bin|ich heiße|mein name ist|nenn mich) {_MODELS}(?= ?(?:$|[^\w\s]|und\b|von\b|ein\b|der\b|das\b))",
    r"\bmein wissen(?:sstand)? (?:endet|reicht|ist|stammt|geht)\b[^.!?]{0,30}\b(?:19|20)\d\d\b",
    r"\bmeine trainingsdaten\b",
    r"\bich habe keinen (?:physischen |eigenen |menschlichen |echten )*körper\b",
    r"\bich habe keine (?:eigenen |echten |menschlichen |persönlichen )+(?:gefühle|meinung(?:en)?|emotionen|"
    r"erfahrungen)\b",
    r"\bich bin kein(?: echter| richtiger)? mensch(?= ?(?:$|[.!]|sondern\b|, (?:sondern|ich)\b))",
    r"\b(?:dabei|damit|bei (?:dieser|deiner|ihrer|dieser art von) (?:anfrage|bitte|frage)) kann ich (?:\w+ ){0,3}nicht "
    r"(?:\w+ )?behilflich\b",
    r"\bbei (?:dieser|deiner|ihrer) anfrage kann ich\b",
    r"\bich kann (?:diese|deine|ihre) anfrage\b",
    r"\bich kann (?:\w+ ){0,3}bei (?:dieser|deiner|ihrer) (?:art von )?anfragen? (?:\w+ ){0,2}nicht\b",
    r"\bbei dieser art von anfragen? kann ich\b",
    r"\b(?:leid|entschuldigung) ?,? (?:aber )?(?:dabei|damit) kann ich (?:\w+ ){0,2}nicht (?:helfen|weiterhelfen)"
    r" ?(?:$|[.!])",
    r"\bich habe (?:\w+ )?keinen (?:direkten )?zugriff auf (?:echtzeit|aktuelle (?:daten|informationen|nachrichten|"
    r"ereignisse))",
    r"\b(?:gegen|verletzt) meine (?:\w+ )?(?:richtlinien|programmierung)\b",
    r"\bwie (?:kann|darf) ich (?:ihnen|dir|euch) (?:\w+ )?behilflich sein\b",
)
_PATTERNS = tuple(re.compile(pattern) for pattern in (*_ENGLISH, *_GERMAN))

_NOT_MEANT = re.compile(
    r"(?:\b(?:you|u|they|people|everyone|everybody|somebody|someone|who|he|she|we|them|me|not|don't)(?: \w+){0,3}|"
    r"\b(?:if|whether|like|wish|pretend|pretending|imagine|unless|as though|thinks?|thought|believes?|swears?|"
    r"says?|said|saying|told|wrote|writes?|"
    r"wenn|ob|dass|falls|als ob))(?: that| like| as if)?[ \"'(]*$"
)
"""What stands before an "I am a robot" that is not said of oneself: "you think …", "if …"."""

_BEFORE_A_COMMA = re.compile(
    r"\b(?:glaubst|denkst|meinst|findest|sagst|sagt|sagte|sagen|denkt|denken|meint|meinte|glaubt|dachte|"
    r"tu)(?: \w+){0,2} ?, ?$"
)
"""The same in German, which sets a comma there."""

_BEFORE = 80
"""So many characters before are looked at."""

_WHOSE = ("my", "meine", "unlike", "how", "wie")
"""What begins so is said of oneself whatever stands before."""

_LEAST_OF_A_NAME = 3


@lru_cache(maxsize=1 << 16)
def identifies_itself(text: str, name: str = "") -> bool:
    """Return True if the turn says that its speaker is a machine, or bears the `name` of a contestant."""
    text = " ".join(text.lower().replace("’", "'").split())
    text = re.sub(r"\bi ?' ?m\b", "i'm", re.sub(r"\b(do|ca|wo) n't\b|\b(do|ca|wo)n ' t\b", _joined, text))
    patterns: Iterable[re.Pattern] = (*_PATTERNS, *_of_name(name))
    return any(
        match.group().startswith(_WHOSE) or not _of_others(text[max(match.start() - _BEFORE, 0) : match.start()])
        for pattern in patterns
        for match in pattern.finditer(text)
    )


def _joined(match: re.Match) -> str:
    return f"{match[1] or match[2]}n't"


def _of_others(before: str) -> bool:
    return bool(_NOT_MEANT.search(re.split(r"[.!?;:,]", before)[-1]) or _BEFORE_A_COMMA.search(before))


@lru_cache(maxsize=256)
def _of_name(name: str) -> tuple[re.Pattern, ...]:
    """Patterns of a contestant giving its name: also without the size or version behind it (smollm2-135m: "SmolLM")."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    given = {name.lower(), words[0] if words else ""} - {"human", ""}
    names = "|".join(re.escape(n).replace(r"\-", "[ -]?") for n in sorted(given) if len(n) >= _LEAST_OF_A_NAME)
    before = r"\b(?:my name is|my name's|call me|i'm called|i am called|mein name ist|ich heiße|nenn mich)"
    return (re.compile(rf"{before} (?:{names})\d*(?!\w)"),) if names else ()
