"""What is known of MJCF: elements, attributes and words. All else is refused, for it might be part of the motion."""

from __future__ import annotations

from zeromass.mechanism.xml_lines import Element

TURNED = "quat axisangle euler xyaxes zaxis"
ACTING = "name class joint jointinparent gear ctrllimited ctrlrange forcelimited forcerange lengthrange group user"
OTHER_TARGETS = "tendon site refsite body cranksite cranklength slidersite"
DYNAMICS = "dyntype dynprm actdim actearly actlimited actrange"

ACTUATORS = {
    "motor": f"{ACTING} {OTHER_TARGETS}",
    "position": f"{ACTING} {OTHER_TARGETS} kp kv dampratio timeconst inheritrange",
    "velocity": f"{ACTING} {OTHER_TARGETS} kv",
    "general": f"{ACTING} {OTHER_TARGETS} gaintype gainprm biastype biasprm {DYNAMICS}",
}
"""Attributes of actuators; what acts on something else than a joint is refused where it is read."""

SHARED = {*ACTING.split()}
"""What a default of one kind of actuator says for the other kinds too; the law of an actuator is what is left."""

OTHER_ACTUATORS = {
    *("intvelocity", "orientation", "pid", "damper", "cylinder", "muscle", "adhesion", "plugin", "dcmotor"),
}

ATTRIBUTES = {
    "mujoco": "model",
    "compiler": "angle assetdir autolimits balanceinertia boundinertia boundmass eulerseq inertiafromgeom inertiagrouprange "
    "meshdir settotalmass strippath alignfree coordinate "
    "conflict convexhull discardvisual exactmeshinertia fitaabb fusestatic passthrough savecanonical savecompiled "
    "saveinertial texturedir usethread",
    "option": "gravity density viscosity wind actuatorgroupdisable "
    "apirate ccd_iterations ccd_tolerance collision cone impratio integrator iterations jacobian ls_iterations "
    "ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance o_friction o_margin o_solimp "
    "o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance",
    "flag": "gravity actuation clampctrl constraint damper frictionloss passive spring "
    "autoreset contact diagexact energy equality eulerdamp filterparent fwdinv invdiscrete ipc island limit midphase "
    "multiccd nativeccd override refsafe sensor sleep speculative warmstart",
    "default": "class",
    "worldbody": "name",
    "body": f"name pos {TURNED} childclass mocap gravcomp fuse simple sleep user",
    "frame": f"name pos {TURNED} childclass",
    "inertial": f"pos {TURNED} mass diaginertia fullinertia",
    "freejoint": "name align group",
    "joint": "name class type pos axis ref springref stiffness damping armature frictionloss limited range "
    "actuatorfrclimited actuatorfrcrange "
    "actuatorgravcomp group margin solimpfriction solimplimit solreffriction solreflimit user",
    "geom": f"name class type size pos fromto {TURNED} mass density mesh shellinertia "
    "adhesion castshadow conaffinity condim contype fitscale fluidcoef fluidshape friction gap group hfield margin "
    "material priority rgba solimp solmix solref surfacevel user",
    "mesh": "name class file scale refpos refquat inertia "
    "builtin content_type face material maxhullvert normal octree_maxdepth params smoothnormal texcoord vertex",
    **ACTUATORS,
}
"""By tag; the first of each are read, those after have no part in the motion of a tree that touches nothing."""

INSIDE = {
    "worldbody": "body frame geom site camera light",
    "body": "body frame geom site camera light joint freejoint inertial",
    "frame": "body frame geom site camera light joint freejoint inertial",
    "geom": "",
    "joint": "",
    "freejoint": "",
    "inertial": "",
    "option": "flag",
}
"""What may stand in what."""

UNSEEN = {
    *("contact", "custom", "extension", "keyframe", "sensor", "size", "statistic", "visual"),
    *("texture", "material", "hfield", "skin", "model", "site", "camera", "light", "pair", "equality", "tendon"),
    *("lengthrange", "deformable"),
}
"""Elements whose insides are no part of a tree, or that are refused, with their sections, as a whole."""

EITHER, OR_AUTOMATIC = ("true", "false"), ("true", "false", "auto")
CHOICES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("autolimits", "balanceinertia", "strippath", "alignfree", "mocap", "shellinertia"), EITHER),
    **dict.fromkeys(("limited", "ctrllimited", "forcelimited", "actuatorfrclimited", "align"), OR_AUTOMATIC),
    "inertiafromgeom": OR_AUTOMATIC,
    "coordinate": ("local",),
}
"""Attributes of few words."""


def look_through(element: Element) -> None:
    """Raises where an element is not known, stands where it can not, or has an attribute that is not known."""
    waiting = [(element, iter(element.inside))]
    while waiting:
        about, left = waiting[-1]
        one = next(left, None)
        if one is None:
            waiting.pop()
        elif _looked_at(one, about.tag):
            waiting.append((one, iter(one.inside)))


def _looked_at(one: Element, about: str) -> bool:
    """Whether what is inside an element is looked at too; raises where it is not known, or stands where it can not."""
    if one.tag in ("composite", "flexcomp", "replicate", "attach"):
        raise one.error(f"<{one.tag}> is not known; write its bodies out")
    if one.tag in UNSEEN or (about == "actuator" and one.tag not in ACTUATORS):
        return False
    if one.tag in OTHER_ACTUATORS and about == "default":
        return False
    allowed = INSIDE.get(about)
    if (allowed is not None and one.tag not in allowed.split()) or one.tag not in {*ATTRIBUTES, "asset", "actuator"}:
        raise one.error(f"<{one.tag}> inside <{about}> is not known")
    _attributes(one)
    return True


def _attributes(one: Element) -> None:
    known = ATTRIBUTES.get(one.tag, "").split()
    for name, value in one.attributes.items():
        if name not in known:
            raise one.error(f"{name}=… of <{one.tag}> is not known; leave it out, or say otherwise what it says")
        if value not in CHOICES.get(name, (value,)):
            raise one.error(f"{name}={value!r} of <{one.tag}> is one of {', '.join(CHOICES[name])}")
